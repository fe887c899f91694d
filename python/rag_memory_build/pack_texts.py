"""The texts by which the language pack is compared with its original: every language, and odd input."""

from __future__ import annotations

TEXTS = (
    "",
    " \t\n\u3000",
    "Hi",
    "The old smith hammered all night, because the baron wanted his sword by dawn.",
    "Elena remembers that you paid her brother's debt of 40 silver; she has NOT forgotten it!",
    "  two   spaces,\ttabs\nand lines -- and 'quotes' \"of\" (every) [kind] <here> & there ...  ",
    "Der alte Müller schuldet mir drei Säcke Mehl und hat es schon wieder vergessen.",
    "Où est passée la clé de l'écurie ? Personne ne l'a vue depuis l'été.",
    "¿Quién quemó el molino? Los bandidos, dice la panadera, y no miente.",
    "Chi ha rubato il cavallo del conte? Nessuno lo sa, ma il fabbro tace.",
    "De smid heeft mijn hoefijzer gerepareerd en wilde er niets voor hebben.",
    "O velho pescador prometeu-me um peixe e trouxe-me três.",
    "Stary młynarz jest mi winien trzy worki mąki i źdźbło słomy.",
    "Никто не знает, кто поджёг мельницу той ночью.",
    "Köyün demircisi kılıcımı onardı; İstanbul'dan gelen tüccar şaşırdı.",
    "玩家答应把我弟弟从山洞里带回来,可是他没有回来。",
    "老鐵匠說他的劍賣三百兩銀子。",
    "昨日の夜、村の鍛冶屋が剣を盗まれたと言っていました。ガンバレ!",
    "대장장이는 어젯밤에 검을 도둑맞았다고 말했다.",
    "وعدني اللاعب بأن يعيد أخي من الكهف قبل الشتاء.",
    "ผู้เล่นสัญญาว่าจะพาน้องชายของฉันกลับมาก่อนฤดูหนาว",
    "Ou\u0301 e\u0301cole A\u0300 \u1100\u1161\u11a8 ﬁne ½ ① ＡＢＣ ｶﾞ Ⅻ ㍿ \ufdfa",
    "a\u0000b\ufffdc\u200bd\u00ade\u2028f\u00a0g\u3000h\u0085i\x1fj\u0378k",
    "🙂 👩\u200d👩\u200d👧 ✨ — … “quotes” «guillemets» №5 §3 © हिन्दी עִבְרִית ΟΔΥΣΣΕΥΣ",
    "▁ ▁▁ [CLS] & co.",
    "x" * 120,
    " ".join(f"On day {day} the caravan crossed river {day * 7} and lost a mule." for day in range(1, 90)),
)
