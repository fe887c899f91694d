"""French sentences of a talk that bind somebody, name the player or give something."""

from __future__ import annotations

from rag_memory.conversation.extraction_rules import PLAYER
from rag_memory.conversation.languages.talk_words import NAME, WRITTEN_NAME, TalkWords, rule
from rag_memory.text.languages.french import FRENCH

_I = r"(?:je |j'|nous )"
_YOU = r"(?:t'|te |vous )(?:l'|le |la |les |en )?"
_YOURS = r"(?=.*\b(?:ton|ta|tes|votre|vos|toi|vous)\b)"
_SHALL = (
    r"(?:r?apporte|rend|donne|répare|re?trouve|cherche|paie|paye|aide|protége|protège|fe|montre|enver|achète|construi|forge|prépare|cuisine|prête|"
    r"rembourse|ramène|ramasse|livre|sauve|libére|libère|escorte|accompagne|condui|guide|soigne|guéri|venge|écri|raconte|défend|garde|offri|"
    r"procure|fourni|récupére|récupère|rejoind|nourri|surveille|cueille|remett|remettr|emmène|attrape|fabrique|couvri|coud|tisse|remplace|nettoie)r(?:ai|ons)"
)
_DO_NOW = (
    r"(?:r?apporte|rends|donne|répare|retrouve|cherche|paie|paye|aide|fais|montre|envoie|achète|construis|forge|prépare|prête|rembourse|ramène|"
    r"livre|accompagne|conduis|guide|soigne|écris|raconte|offre|procure|fournis|récupère|emmène|cueille|remets)"
)
_TO_DO = (
    r"(?:r?apporter|rendre|donner|réparer|re?trouver|chercher|payer|aider|protéger|faire|montrer|envoyer|acheter|construire|forger|préparer|"
    r"prêter|rembourser|ramener|livrer|sauver|libérer|accompagner|conduire|guider|soigner|guérir|venger|écrire|raconter|défendre|offrir|procurer|fournir|récupérer|cueillir|remettre)"
)
_ANY_SHALL = r"\b(?!vrai\b)\w+r(?:ai|ons)\b"
_NOT_OWED = r"(?!.*\b(?:rien|vie|explications?|excuses?|service|respect|vérité|tout|beaucoup|tant|obéissance|réponse|merci|remerciements?|rendue?s?|remboursée?s?)\b)(?!\w+(?:er|ir|re)\b)"
_OWN_DEBT = r"(?!.* (?:à|au|aux|envers|auprès d\w*|du) (?!toi\b|vous\b)|.* (?:de (?:mon|ma|mes|ton|ta|son|sa|notre|leur)|de (?-i:[A-Z])\w*|d'(?-i:[A-Z])\w*)\b)"
_PLACE = r"(?=.*\b(?:à|au|aux|chez|devant|derrière|près|dans|sur|sous|à côté)\b)"
_COIN = r"(?:pièces?|argent|or|écus?|sous|deniers?|ducats?|francs?)"
_NO_NAME = r"(?!(?:pas|comment|comme|ainsi|autrement|quoi|personne|rien|toi|moi|encore|toujours|bien|aussi|plus|jamais|ça|cela|sans|désormais|maintenant)\b)"
_NO_PERSON = r"(?!(?:Français|Anglais|Écossais|Irlandais|Gallois|Breton|Normand|Belge|Suisse|Allemand|Espagnol|Italien|Portugais|Romain|Grec|Viking|Elfe|Nain|Orc|Humain|Chevalier|Roi|Dieu|Seigneur|Maître|Capitaine|Noël)(?:ne|e|de)?s?\b)(?-i:[A-ZÀ-ÖØ-Þ])"
_A_THING = r"(?:un|une|des|du|de la|de l'|ce|cet|cette|ces|mon|ma|mes|deux|trois|quatre|cinq|quelques)\b"
_NO_GIFT = (
    r"(?!.*\b(?:parole|raison|tort|chance|conseils?|ordres?|rendez-vous|main|congé|jours?|heures?|minutes?|secondes?|temps|permission|nom|choix|occasion|réponse|mission|aide|amitié|vie|pardon|coups?|gifles?|baisers?|claques?|leçon|verre|"
    r"nouvelles?|chemin|route|place|siège|chaise|porte|rue|direction|sentier|escalier|congés|échange|contre|emprunt|prête|prêté|pièces?|(?<!en )(?<!d')argent|écus?|deniers?|ducats?|sous|francs?|mal|peine|garde|patience|soin|excuses?|avertissement|moment|instant|adieu)\b|.*\b(?:qui|que) (?:te|vous|t')|.*\ben argent comptant)"
)

# fmt: off
TALK_FRENCH = TalkWords(
    recall=FRENCH,
    rules=(
        rule("paid", "payment",
            rf"(?:j'ai|nous avons) (?:tout |déjà |entièrement )*(?:remboursé|payé|réglé|acquitté) (?:ma|mes|toutes mes|notre|nos) dettes?\b{_OWN_DEBT}",
            r"je (?:t'|vous )ai (?:tout |déjà |entièrement )*remboursé(?:$| tout\b| {0}\b)".replace(
                "{0}", _COIN
            ),
            r"(?:nous sommes|on est) (?:maintenant |enfin |donc )*quittes?",
            rf"(?:voici|voilà|tiens,?|tenez,?) (?!de\b|du\b|des\b)(?:\w+ )?(?:\w+ )?(?:l')?{_COIN}\b(?: d'\w+)?(?:,? que je (?:te|vous) (?:dois|devais)|$)",
            r"(?:voici|voilà) ce que je (?:te|vous) (?:dois|devais)"),
        rule("you_paid", "payment",
            r"(?:tu ne me dois|vous ne me devez) plus rien",
            r"(?:ta|votre) dette est (?:\w+ )?(?:payée|réglée|remboursée|oubliée|effacée)",
            r"(?:tu m'as|vous m'avez) (?:tout |déjà )*(?:remboursé|payé)", mirrored=True),
        rule("name", "name",
            rf"je (?:m'appelle|me nomme|me prénomme)(?: donc)? {_NO_NAME}{NAME}",
            rf"(?:mon (?:vrai )?(?:nom|prénom),? (?:à moi,? )?(?:est|c'est)|moi,? c'est|(?:on|les gens|mes amis|tout le monde) m'appelle(?:nt)?|appelez?-moi|(?:tu peux|vous pouvez) m'appeler|je suis(?= {_NO_PERSON})) {WRITTEN_NAME}", by=(PLAYER,)),
        rule("gift", "gift",
            rf"je (?:te |t'|vous )(?:l')?(?:offre|donne|fais (?:cadeau|don) de) (?:volontiers )?{_NO_GIFT}(?P<about>{_A_THING}.+)$",
            rf"(?:tiens|tenez|voici|voilà),? (?P<here>(?:pour (?:toi|vous),? )?un (?:petit |modeste )?(?:cadeau|présent)\b.*|{_NO_GIFT}{_A_THING}.+ (?:pour|rien que pour) (?:toi|vous))$",
            rf"(?:prends|prenez|accepte|acceptez|garde|gardez) {_NO_GIFT}(?P<taken>(?!.*\bet\b)(?:ce|cet|cette|ces|mon|ma|mes) .+)$",
            rf"(?:c'est|ceci est) (?P<this>(?:un (?:petit )?(?:cadeau|présent)(?: pour (?:toi|vous))?|pour (?:toi|vous)))$|(?:ce|cet|cette|ces) {_NO_GIFT}(?P<these>[\w' -]{{2,40}}) (?:est|sont) (?:à|pour) (?:toi|vous)$",
            rf"(?:je (?:t'|vous )ai|nous (?:t'|vous )avons) (?:apporté|rapporté|acheté|fabriqué|fait|forgé|cueilli|trouvé|offert|donné|cuisiné|préparé|tricoté|ramené) {_NO_GIFT}(?P<brought>(?:un|une|des|du|de la|de l'|deux|trois|quatre|cinq|ce|cet|cette|ces|mon|ma|mes) .+)$", is_act=True),
        rule("broken", "broken",
            r"(?:je n'ai pas tenu|j'ai (?:manqué à|rompu|trahi)) (?:ma|notre) (?:promesse|parole)"),
        rule("you_broke", "broken",
            r"tu (?:n'as pas tenu|as (?:manqué à|rompu|trahi)) ta (?:promesse|parole)", mirrored=True),
        rule("kept", "kept",
            r"(?:j'ai|nous avons) (?:bien |enfin )?tenu (?:ma|notre|mes) (?:promesses?|parole)"),
        rule("you_kept", "kept",
            r"(?:tu as|vous avez) (?:bien |enfin )?tenu (?:ta|votre) (?:promesse|parole)", mirrored=True),
        rule("withdrawn", "withdrawn",
            r"je ne (?:peux|pourrai) pas tenir (?:ma|cette) (?:promesse|parole)",
            r"je (?:reprends|retire) ma (?:promesse|parole)", is_act=True),
        rule("oath", "promise",
            rf"(?:je|nous) (?:te |vous |le )*(?:promets|promettons|jure|jurons|garantis)(?: solennellement| sur [^,]{{1,40}}?)?,? (?P<about>(?:de |d')(?!avoir\b|être\b|n'avoir|ne (?:pas |jamais |rien )?(?:avoir|être)\b).+|(?:que )?{_I}.*{_ANY_SHALL}.*)$",
            rf"(?:tu as|vous avez|je (?:te|vous) donne) ma parole(?: d'honneur)?(?:,| :| que)? (?P<word>{_I}.*{_ANY_SHALL}.*|de (?!avoir|être).+)$",
            rf"(?P<sworn>{_I}.*{_ANY_SHALL}.*), (?:c'est )?(?:promis|juré|parole d'honneur|je (?:te|vous) le (?:promets|jure))$", is_act=True),
        rule("loyal", "promise",
            r"(?P<about>je ne (?:te |t'|vous )(?:trahirai|quitterai|abandonnerai|décevrai|mentirai|volerai) (?:jamais|pas)\b.*)", is_act=True),
        rule("appointment", "appointment",
            r"(?:{when},? )?(?:retrouvons-nous|voyons-nous|rencontrons-nous|rejoins-moi|retrouve-moi|rejoignez-moi|retrouvez-moi) (?P<about>(?=.*\b{when}\b|.*\b(?:au|à|chez|devant|derrière|près|dans)\b).+)",
            rf"(?:on se (?:voit|retrouve)|nous nous (?:retrouverons|verrons)|rendez-vous) (?=.*\b{{when}}\b){_PLACE}(?P<see>.+)",
            rf"{{when}},? (?:on se (?:voit|retrouve)|nous nous (?:retrouverons|verrons)) {_PLACE}(?P<then>.+)",
            rf"(?:{{when}},? )?je (?:t'|vous )attendrai {_PLACE}(?P<wait>.+)",
            rf"je (?:t'|vous )attends (?=.*\b{{when}}\b){_PLACE}(?P<now>.+)", is_act=True),
        rule("offer", "promise",
            rf"(?:{{when}},? )?{_I}(?P<about>{_YOU}{_SHALL}\b.*|{_SHALL} {_YOURS}.+|irai (?:te |vous )?(?:chercher|trouver|acheter|cueillir|voir) {_YOURS}.*|irai (?:te |vous )(?:chercher|trouver|acheter|cueillir)\b.+|(?:vais|allons) (?:{_YOU}{_TO_DO}\b.*|{_TO_DO} {_YOURS}.+))$",
            rf"{_I}(?P<now>{_YOU}{_DO_NOW}\b(?=.*\b{{when}}\b).+)$",
            rf"{{when}},? {_I}(?P<then>{_YOU}{_DO_NOW}\b.*)$", is_act=True),
        rule("debt", "debt",
            rf"je (?:te|vous) dois (?:encore |toujours |bien )*{_NOT_OWED}(?P<about>.+)$",
            r"je (?:t'|vous )ai emprunté (?!.*\b(?:rendue?s?|remboursée?s?)\b)(?P<lent>.+)$",
            r"(?:tu m'as|vous m'avez) prêté (?!.*\b(?:rendue?s?|remboursée?s?)\b)(?P<got>.+)$"),
        rule("you_owe", "debt",
            rf"(?:tu me dois|vous me devez) (?:encore |toujours |bien )*{_NOT_OWED}(?P<about>.+)$",
            r"je (?:t'|vous )ai prêté (?P<lent>.+)$", mirrored=True),
    ),
    doubts=(
        r"si|s'ils?|sauf|à moins|au cas où|peut-être|sans doute|probablement|(?!frais|vrais)\w+rais|\w+rait|\w+riez|\w+raient|espér\w+|espère\w*|espoir|crois|croit|croyais|pens\w+|dit|disait|disent|prétend\w*|raconte|voula\w+|"
        r"hier|avant-hier|autrefois|jadis|dernièr?e?|avais|était|essa\w+|hélas|malheureusement|rêv\w+|imagin\w+|supposons|presque|failli|impossible|"
        r"tuer\w*|tuerai|égorg\w+|pend(?:re|rai)|regretter\w*|payer cher|vengeance|gardes?|prison|enfer|leçon|cachot|bourreau|la monnaie de ta pièce|chaque|tous les|toutes les|raison|peur|commande|fou|folle|cach\w+|donne jusqu'à|quand|lorsque|lorsqu'\w+|dès que|une fois que|ennuis|fer(?:ai|ons) (?:mal|honte|payer|souffrir|la peau)|la peau|gifles?|claques?|coups?|poing|raclée|te cherche|avertissement|la monnaie|ce que (?:tu|vous) mérit\w+|par la fenêtre|montr\w+ la porte(?=$|,)|(?:r?accompagn|recondui|met|condui)\w* à la porte|la tête la première|par-dessus bord|dans la tombe"
    ),
    jokes=r"je (?:plaisante|rigole|blague)|c'était (?:une blague|pour rire)|pour rire|une plaisanterie|les poules auront|saint-glinglin|tu parles(?= ?[!.]|$)|et puis quoi encore|tu peux toujours (?:rêver|courir|attendre)|compte là-dessus|dans tes rêves|cause toujours|(?<=[,.!–—] )(?:à d'autres|mon (?:œil|oeil|cul))(?= ?[!.]|$)",
    insults=r"(?:(?:espèce de |espèce d'|bande de |bande d'|sale |pauvre |maudite? |petite? ))*(?:tra[îi]tre(?:s|sse)?|menteu(?:rs?|se)|voleu(?:rs?|se)|assassins?|lâches?|canailles?|ordures?|salauds?|salope|salopard|crapules?|scélérats?|vermine|imbéciles?|idiote?s?|crétins?|abrutis?|bâtards?|fripouilles?|misérables?|racaille|enfoirés?|connards?|connasse|fumier|pourriture|vauriens?|tricheu(?:r|se)|(?-i:chien|porc|rat|serpent|charogne))|(?:espèce de |sale )(?:chiens?|porcs?|rats?|serpent|charogne)",
    handed=(
        r"(?:voici|voilà|tiens|tenez),? .*|je (?:te |vous )?(?:t'|l')?ai (?!.*\b(?:pas|jamais|presque|mais)\b)(?:enfin |déjà |bien )*(?:apporté|rapporté|rendu|donné|retrouvé|trouvé|ramené|acheté|fait|livré|envoyé|payé)e?s?\b.*|(?:je vous ai|j'ai|nous avons) (?!.*\b(?:pas|jamais|presque|mais)\b)(?:enfin |déjà |bien )*"
        r"(?:(?:réparé|payé|soigné|libéré)\b.*|(?=.*\b(?:ton|ta|tes|votre|vos)\b)(?:retrouvé|trouvé|rapporté|ramené|sauvé|vengé|récupéré|livré)\b.*)|(?:ton|ta|votre|le|la) \w+ est (?:enfin |maintenant |de nouveau )*(?:réparée?|prête?|payée?|terminée?)"
    ),
    unpaid=r"ne|n'\w+|pas|aucune?|jamais|sans|moitié|partie|demi\w*|peu|quelques|fau(?:x|sse|sses)|contrefait\w*|presque|seulement|mais|mon (?:argent|or)|mes (?:pièces|sous|écus|deniers|ducats)|acompte",
    all_debts=r"tout(?:es)?|tous|quittes?|rien|dettes|réglée?s?|effacée?s?|oubliée?s?|ce que je (?:te|vous) (?:dois|devais)",
    refuses=(
        r"non(?! merci)|jamais|menteu[rs]e?|mensonges?|tu mens|vous mentez|c'est faux|ce n'est pas vrai|c'est pas vrai|faux|n'importe quoi|garde(?:z)?(?:[ -]|$)|ce n'est pas (?:la peine|nécessaire|utile)|inutile|pas question|pas besoin|je n'en veux|"
        r"je (?:ne|n')\W?(?:veux|crois|peux|ai|te dois|accepte|te crois) ?(?:pas|rien|jamais)|tu ne me dois rien|tu n'as (?:jamais|rien)|tu ne m'as (?:jamais|rien)|laisse tomber|depuis quand|quelles? "
    ),
    confirms=r"oui|c'est vrai|c'est exact|exact|exactement|en effet|tu as raison|vous avez raison|je (?:le )?sais|bien sûr|certes|d'accord|entendu|marché conclu",
    days=(
        (r"après-demain(?: matin| soir| midi)?", "the day after tomorrow"),
        (r"(?<!après-)demain(?: matin| soir| midi| après-midi| à l'aube)?", "tomorrow"),
        (r"ce soir|cette nuit", "tonight"),
        (r"aujourd'hui(?: même)?|cet après-midi", "today"),
        (r"(?:dans|d'ici|sous) {n} jours?", "in {n} days"),
        (r"(?:dans|d'ici|sous) {n} semaines?", "in {n} weeks"),
        (r"(?:dans|d'ici|sous) {n} mois", "in {n} months"),
        (r"(?:dans|d'ici|sous) {n} heures?", "in {n} hours"),
        (r"la semaine prochaine", "next week"),
        (r"le mois prochain", "next month"),
        (r"cette semaine|(?:avant|d'ici) la fin de la semaine", "this week"),
    ),
    weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
    numbers="un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt trente quarante cinquante soixante soixante-dix quatre-vingts|quatre-vingt quatre-vingt-dix cent|cents mille",
    amount=r"{n}(?: (?P<unit>(?!jours?|semaines?|mois|heures?|fois|de|d)[^\W\d_]+(?: d'(?:or|argent))?))?",
    before_day=r"avant|d'ici|dès|jusqu'à|au plus tard|ce|pour",
    splits=r"[,:;–—]\s*(?:et |mais |car |alors |donc )?|\s(?:et|alors) ",
    fillers=r"eh bien|bien|oui|non|d'accord|entendu|mon ami|merci|alors|et|bon|écoute|écoutez|monsieur|madame|mais|donc|promis|ne t'inquiète pas|ne vous inquiétez pas",
)
# fmt: on
