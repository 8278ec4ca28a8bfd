"""`python -m autodiff_cli` is `autodiff`."""

from autodiff_cli.cli.main import start

if __name__ == "__main__":
    start()
