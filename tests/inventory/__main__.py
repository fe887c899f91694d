"""Write functions.txt and items.txt anew."""

from __future__ import annotations

import sys

from tests import inventory


def main() -> int:
    functions = inventory.functions()
    lost = inventory.gone(inventory.listed_functions(), functions) if inventory.FUNCTIONS.exists() else []
    if lost:
        print("These test functions are gone:", *lost, sep="\n  ")
        if "--gone" not in sys.argv[1:]:
            print("Nothing was written. If they should be gone, add --gone and say why in the commit.")
            return 1
    inventory.FUNCTIONS.write_text("\n".join(sorted(functions.elements())) + "\n", encoding="utf-8")
    lines = [f"{folder} {count}\n" for folder, count in inventory.items().items()]
    inventory.ITEMS.write_text("".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
