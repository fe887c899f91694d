"""The program behind build.py: sets up, builds, tests and packs RAG Memory.

* Commands: `commands` (the command line), `checks` (format, types, tests), `servers` (databases for
development). * Shared by all steps: `console` (messages, running programs), `paths`, `disk`, `lock`, `stamp`
(is a result
  up to date?).
* Downloads: `debian` (packages), `wheels` (Python packages), `engine`, `zig`, `language_model`, `qemu`,
`wine`,
  `xdotool`, `patchelf`, `chinese_font`.
* The addon's binaries: `native` (the C++ host), `runtime` (Python for games), `server_part`,
`extension_modules`,
  `model` (the sentence model; `model_*`, `bert_graph`, `activation_ranges`, `calibration_text`),
  `language_pack` (the model for other languages; `pack_*`).
* Systems: `target` (the interface), `target_linux`, `target_macos`, `target_windows`, `cpython*`,
`windows_*`,
  `macho`, `universal`; `machines` runs tests on them.
* Results: `package` (the zip files), `export` (a finished game). * Made from the core's declarations:
`generate` (tables of the host and F1 help), `reference` with `settings_table`, and
  `wording`, with `godot_type`, `help_text`, `help_examples` and `world_examples`.
"""
