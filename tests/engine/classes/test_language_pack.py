"""A game with the language pack: the project setting rag_memory/embedding/language."""

from __future__ import annotations

from tests.engine.game import Game, Home, Project, run

from rag_memory_build import language_pack

MULTILINGUAL = {"rag_memory/embedding/language": '"multilingual"'}
ENGLISH_MODEL, OTHER_MODEL = "all-MiniLM-L6-v2", "universal-sentence-encoder-multilingual-3"


def check_that_it_understands(game: Game) -> None:
    assert game.value("model") == OTHER_MODEL
    who, husband = game.values("answer")
    assert who == "米店的钱掌柜放火烧了粮仓。"
    assert husband == "我丈夫阿诚六年前出海做生意，再也没有回来。", "asked in another language"


def test_a_game_in_chinese_recalls_and_its_save_changes_the_model(quick_project: Project, home: Home) -> None:
    pack = quick_project.models.parent / language_pack.NAME
    pack.symlink_to(language_pack.prepare())
    quick_project.models.symlink_to(language_pack.FOLDER.with_name("default"))
    game = run(quick_project, home, "language_pack")
    assert game.value("model") == ENGLISH_MODEL
    quick_project.write_settings(MULTILINGUAL)
    check_that_it_understands(run(quick_project, home, "language_pack"))
    check_that_it_understands(run(quick_project, home, "language_pack"))
    quick_project.write_settings({})
    assert run(quick_project, home, "language_pack").value("model") == ENGLISH_MODEL


def test_without_the_pack_the_message_says_what_to_do(quick_project: Project, home: Home) -> None:
    quick_project.write_settings(MULTILINGUAL)
    game = run(quick_project, home, "language_pack", errors=["build.py model --language-pack multilingual"])
    assert game.value("state") == "failed"
    assert f"models/{language_pack.NAME}" in game.value("last_error")


def test_another_language_is_refused(quick_project: Project, home: Home) -> None:
    quick_project.write_settings({"rag_memory/embedding/language": '"klingon"'})
    game = run(quick_project, home, "settings", errors=['neither "english" nor "multilingual"'])
    assert game.value("recalled") == 2.0
