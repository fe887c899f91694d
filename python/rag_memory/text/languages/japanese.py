"""Japanese words that recall reads in a question."""

from __future__ import annotations

from rag_memory.text.languages.recall_words import NOT_IN_NUMBER, RecallWords, han_numbers

_ME = "(?:俺|僕|私|わし|おれ|ぼく|わたし|あたし|うち)"
_YOU = "(?:君|きみ|あなた|お前|おまえ|あんた)"
JAPANESE = RecallWords(
    player="プレイヤー",
    first_person={
        "(?:俺|僕|私|おれ|ぼく|わたし)(?:たち|達|ら)": "{player}と私",
        (
            "俺|(?<![下公従])僕|私(?![立有服物])|(?:おれ|ぼく)(?=[はがのをにとも、])|わたし(?!た|て)|あたし"
            "|(?<![ァ-ー])(?:オレ|ボク|ワタシ)(?![ァ-ー])"
        ): "{player}",
    },
    second_person={
        "(?:君|きみ|あなた|お前|おまえ|あんた)(?:たち|達|ら)": "私たち",
        (
            "(?<![一-龯々ァ-ー])君(?=[はがのをにともから、？?])|きみ(?=[はがのをにとも])|あなた|お前|おまえ|あんた"
            "|(?<![ァ-ー])(?:キミ|オマエ|アンタ|アナタ)(?![ァ-ー])"
        ): "私",
    },
    givers=(
        f"あげた|贈った|渡した|プレゼントした|{_ME}(?=[はが、])|{_YOU}に",
        f"くれた|くださった|もらった|いただいた|{_ME}に|{_YOU}(?=[はが、])",
    ),
    who="誰|だれ|何者|どなた|どんな人",
    own_promises=f"{_ME}[はがも](?:(?!くれ)[^。])*(?:約束|誓)|(?<![俺僕私しれく])に(?:固く|堅く)?(?:約束した|約束して(?!く)|誓った|誓って(?!く))",
    event_words={
        "sorry": "謝 詫び あやま ごめん 許し",
        "argue": "喧嘩 けんか 口論 言い争",
        "attack": "襲 攻撃",
        "fight": "(?<![挑作])戦 闘",
        "betray": "裏切",
        "die": "(?<!必)死 亡くな",
        "kill": "殺",
        "owe": "借り 借金",
        "lend": "貸",
        "repay": "(?<![仕りき])返し (?<!っ)払 返済",
        "comfort": "慰め そばにい 支え",
        "help": "助け 手伝",
        "gift": "贈 プレゼント 土産 あげた もらった",
        "give": "(?<![てで])くれた 渡し",
        "bring": "持ってき 届け",
        "meet": "出会 初めて会",
        "quest": "依頼 任務 頼み",
        "friend": "友達 友だち 仲直り",
        "insult": "侮辱 馬鹿に 悪口",
        "lie": "嘘 (?<![もそどこ])うそ(?=[をつだはがっじかで？?]) だまし 騙し",
        "save": "救 (?<![運使宿任])命(?![令じ名中]) 守っ",
        "promise": "約束 誓",
        "broken": "約束を破 破った",
        "kept": "約束を守 果たし",
        "refuse": "(?<![判油決診横無])断[りるらっれわろ]",
        "love": "(?<!可)愛(?!想) 好き 恋",
        "kiss": "キス 口づけ",
        "rumor": "噂 うわさ",
        "secret": "秘密 内緒 打ち明け 隠し 黙って",
        "steal": "盗 泥棒",
        "threaten": "脅",
        "sell": "売",
        "buy": "買",
        "trust": "信じ 信用 信頼",
    },
    times=(
        ("一昨日|おととい", "the day before yesterday"),
        ("昨夜|ゆうべ|昨晩", "last night"),
        ("昨日|(?<![ぁ-ん])きのう(?=[はもの、に])", "yesterday"),
        ("今朝", "this morning"),
        ("今夜|今晩(?!は(?:[！!。]|$))", "tonight"),
        ("今日(?!は(?:[！!。]|$))|(?<![ぁ-ん])きょう(?=[はもの、に])", "today"),
        (NOT_IN_NUMBER + "{n} ?日前", "{n} days ago"),
        (NOT_IN_NUMBER + "{n} ?週間前", "{n} weeks ago"),
        (NOT_IN_NUMBER + "{n} ?(?:か|ヶ|カ|ヵ)月前", "{n} months ago"),
        ("先週", "last week"),
        ("先月", "last month"),
        ("今週", "this week"),
        (NOT_IN_NUMBER + "{n} ?日目", "on day {n}"),
        ("最近|この間(?!違)|このあいだ|先日", "recently"),
        ("初めて|(?<![いきしちみりぎびえけせてべめれ])はじめて(?!くれ|くだ|い)|最初", "the first time"),
        ("最後", "the last time"),
    ),
    numbers=han_numbers(),
    has_spaces=False,
)
"""Most questions have no pronoun at all; those are asked as they are."""
