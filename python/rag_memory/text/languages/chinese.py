"""Chinese words that recall reads in a question, in simplified and traditional characters."""

from __future__ import annotations

from rag_memory.text.languages.recall_words import NOT_IN_NUMBER, RecallWords, han_numbers

_NOT_TO = "(?<![向跟对對给給和与與替为為])"
_PROMISE = "(?:答应|答應|保证|保證|承诺|承諾|发[过過]?誓|發[过過]?誓|起誓|许诺|許諾)"
_WEEK = "(?:星期|礼拜|禮拜|[周週](?![围圍边邊遭到]))"

CHINESE = RecallWords(
    player="玩家",
    first_person={"我们|我們|咱们|咱們|咱俩|我俩": "{player}和我", "(?<!自)我|俺": "{player}"},
    second_person={"(?:你|您)(?![们們])": "我"},
    givers=(
        f"我[^你您我]{{0,4}}[送给給]|{_NOT_TO}我(?=[^，。？]{{0,8}}{_PROMISE})",
        f"[你您][^我]{{0,4}}[送给給]|{_NOT_TO}[你您](?=[^，。？]{{0,8}}{_PROMISE})",
    ),
    who="是谁|是誰|[谁誰]是|是什么人|是什麼人",
    own_promises=f"{_NOT_TO}我(?!的)[^，。！？；：他她]{{0,10}}{_PROMISE}",
    event_words={
        "sorry": "道歉 赔不是 賠不是 赔罪 认错 認錯 对不起 對不起 原谅 原諒",
        "argue": "吵架 吵(?![醒闹鬧死]) 争论 爭論 争吵 爭吵",
        "attack": "攻击 攻擊 袭击 襲擊 偷袭 偷襲",
        "fight": "打架 打斗 打鬥 战斗 戰鬥",
        "betray": "背叛 出卖 出賣",
        "die": "死(?![党黨板角心]) 去世 过世 過世",
        "kill": "杀 殺",
        "owe": "(?<!哈)欠(?!缺)",
        "lend": "(?<![凭憑假])借(?![口助鉴鑒])",
        "repay": "还钱 還錢 还清 還清 还债 還債",
        "comfort": "安慰 陪",
        "help": "[帮幫](?![派会會主]) 救",
        "gift": "礼物 禮物 送",
        "give": "给过 給過 给了 給了",
        "bring": "带来 帶來 带给 帶給",
        "meet": "认识 認識 见面 見面 初次 第一次见",
        "quest": "任务 任務 委托 差事",
        "friend": "朋友",
        "insult": "侮辱 羞辱 骂 罵",
        "lie": "撒谎 撒謊 说谎 說謊 谎 謊 骗 騙",
        "save": "救",
        "promise": "答应 答應 保证 保證 承诺 承諾 发誓 發誓 诺言",
        "broken": "失信 食言 违背 違背 没做到",
        "kept": "守信 兑现 兌現",
        "refuse": "拒绝 拒絕 没答应",
        "love": "(?<!可)[爱愛](?![人好惜]) 喜欢 喜歡 心里话",
        "kiss": "吻(?!合)",
        "rumor": "传言 傳言 谣言 謠言 传闻 傳聞",
        "secret": "秘密 保密",
        "steal": "(?<!偷)偷(?![偷袭襲看听聽懒懶渡笑]) 贼 賊",
        "threaten": "威胁 威脅",
        "sell": "卖 賣",
        "buy": "买 買",
        "trust": "信任 相信",
    },
    times=(
        ("大前天", "3 days ago"),
        ("(?<![目以之从從眼先面年月日天])前天(?![天气氣])", "the day before yesterday"),
        ("昨晚|昨夜", "last night"),
        ("昨天|昨日", "yesterday"),
        ("今早|今天早上|今天早晨", "this morning"),
        ("今晚", "tonight"),
        ("今天|今日", "today"),
        (NOT_IN_NUMBER + "{n} ?天(?:以|之)?前", "{n} days ago"),
        (NOT_IN_NUMBER + f"{{n}} ?[个個]?{_WEEK}(?:以|之)?前", "{n} weeks ago"),
        (NOT_IN_NUMBER + "{n} ?[个個]月(?:以|之)?前", "{n} months ago"),
        (f"(?<![晚马馬早街路身])上[个個]?{_WEEK}", "last week"),
        ("上[个個]月|(?<![天海水])上月(?![亮光])", "last month"),
        (f"[这這][个個]?{_WEEK}", "this week"),
        ("第 ?{n} ?天", "on day {n}"),
        ("最近(?!的|一次)|前[几幾]天", "recently"),
        ("第一次|最初|一[开開]始", "the first time"),
        ("最后一次|最後一次|上一?次|最近一次", "the last time"),
    ),
    numbers=han_numbers().replace(" 二 ", " 二|两|兩 "),
    has_spaces=False,
)
