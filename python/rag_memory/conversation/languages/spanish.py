"""Spanish sentences of a talk that bind somebody, name the player or give something."""

from __future__ import annotations

from rag_memory.conversation.extraction_rules import PLAYER
from rag_memory.conversation.languages.talk_words import NAME, WRITTEN_NAME, TalkWords, rule
from rag_memory.text.languages.spanish import SPANISH

_YOU = r"(?:yo )?(?:te|os) (?:lo |la |los |las )?"
_YOURS = r"(?=.*\b(?:tu|tus|vuestr[oa]s?|ti|vosotr[oa]s|contigo)\b)"
_SHALL = (
    r"(?:(?:traer|llevar|devolver|dar|arreglar|reparar|encontrar|buscar|pagar|ayudar|proteger|har|mostrar|enseñar|enviar|mandar|comprar|construir|forjar|"
    r"preparar|cocinar|prestar|reembolsar|entregar|salvar|rescatar|liberar|acompañar|conducir|guiar|curar|sanar|vengar|escribir|contar|defender|guardar|"
    r"regalar|conseguir|recoger|recuperar|limpiar|cuidar|vigilar|avisar|fabricar|coser|sacar)(?:é|emos)|(?:iré|iremos) a (?:buscar|traer|recoger|ver))"
)
_DO_NOW = (
    r"(?:traigo|llevo|devuelvo|doy|arreglo|reparo|encuentro|busco|pago|ayudo|protejo|hago|muestro|enseño|envío|mando|compro|construyo|forjo|preparo|cocino|presto|"
    r"entrego|acompaño|guío|curo|escribo|cuento|regalo|consigo|recojo|recupero|limpio|cuido|aviso)"
)
_TO_DO = (
    r"(?:traer|llevar|devolver|dar|arreglar|reparar|encontrar|buscar|pagar|ayudar|proteger|hacer|mostrar|enseñar|enviar|mandar|comprar|construir|forjar|preparar|cocinar|prestar|entregar|"
    r"salvar|rescatar|liberar|acompañar|guiar|curar|vengar|escribir|contar|defender|regalar|conseguir|recoger|recuperar|limpiar|cuidar|avisar)"
)
_ANY_SHALL = r"(?:\b\w+(?:ré|remos)\b|\bvoy a \w+r)"
_NOT_OWED = r"(?!.*\b(?:nada|vida|explicaci\w+|disculpas?|favor(?:es)?|respeto|verdad|todo|mucho|tanto|obediencia|respuesta|gracias)\b)(?!\w+[aei]r(?:te|me|lo|la)?\b)"
_OWN_DEBT = r"(?!.* (?:con (?!usted|vosotr)|al |a (?!ti\b|usted|tiempo)|del |de (?:mi|tu|su|nuestr\w+|vuestr\w+|la|los|las|(?-i:[A-ZÁÉÍÓÚÑ])\w*)\b))"
_PLACE = r"(?=.*\b(?:en|junto|frente|detrás|delante|cerca|bajo|a las?|al|tras)\b)"
_COIN = r"(?:monedas?|dinero|oro|plata|reales|escudos|ducados|pesos)"
_NO_NAME = r"(?!(?:así|como|cómo|igual|nada|nadie|no|también|siempre|ahora|mucho|poco|tú|yo)\b)"
_PERSON = r" (?!(?:Español|Inglés|Francés|Alemán|Italiano|Portugués|Romano|Griego|Vikingo|Elfo|Enano|Orco|Humano|Caballero|Rey|Dios|Capitán|Maestro)a?\b)(?-i:[A-ZÁÉÍÓÚÑ])"
_A_THING = r"(?:un|una|unos|unas|est[eao]s?|mi|mis|dos|tres|cuatro|cinco)\b"
_NO_GIFT = (
    r"(?!.*\b(?:palabra|razón|suerte|consejos?|órdenes|orden|mano|días?|horas?|minutos?|segundos?|tiempo|permiso|nombre|oportunidad|respuesta|misión|ayuda|amistad|vida|perdón|golpes?|bofetadas?|besos?|lección|trago|copa|noticias?|camino|ruta|asiento|silla|puerta|calle|dirección|"
    r"cambio|prestad[oa]s?|monedas?|dinero|reales|escudos|ducados|pesos|miedo|pena|gracias|advertencia|momento|abrazo|asco|igual|caminho|rota|assento|cadeira|porta|rua|direção)\b)"
)

# fmt: off
TALK_SPANISH = TalkWords(
    recall=SPANISH,
    rules=(
        rule("paid", "payment",
            rf"(?:ya )?(?:he pagado|pagué|he saldado|saldé) (?:toda |todas )?(?:mis?|las?) deudas?\b{_OWN_DEBT}",
            rf"(?:ya )?te (?:he devuelto|devolví|pagué|he pagado) {_OWN_DEBT}(?:ya )?(?:todo|el dinero|lo que te debía|.*{_COIN})\b",
            r"(?:ahora |ya )?(?:estamos|quedamos) en paz",
            rf"aquí (?:tienes|están?) (?:\w+ )?(?:\w+ )?{_COIN}(?: de (?:oro|plata))?(?: que te (?:debo|debía)|$)",
            r"aquí (?:tienes|está) lo que te (?:debo|debía)"),
        rule("you_paid", "payment",
            r"(?:ya )?no me debes (?:ya )?nada",
            r"tu deuda (?:ya )?está (?:pagada|saldada|olvidada|perdonada)",
            r"(?:ya )?me (?:has pagado|pagaste|has devuelto) (?:ya )?(?:todo|tu deuda)", mirrored=True),
        rule("name", "name",
            rf"(?:yo )?me llamo {_NO_NAME}{NAME}",
            rf"(?:mi (?:verdadero )?nombre es|(?:todos |mis amigos )?me llaman|ll[aá]m[ae]n?me|puedes llamarme|podéis llamarme|(?:yo )?soy(?={_PERSON})) {WRITTEN_NAME}", by=(PLAYER,)),
        rule("gift", "gift",
            rf"(?:yo )?(?:te|os|le) (?:lo |la )?(?:regalo|obsequio|doy|ofrezco) {_NO_GIFT}(?P<about>{_A_THING}.+)$",
            rf"(?:aquí (?:tienes|está|tenéis)|ten|toma) (?P<here>un (?:pequeño )?(?:regalo|obsequio|presente)\b.*|{_NO_GIFT}{_A_THING}.+ para (?:ti|vosotr[oa]s))$",
            rf"(?:toma|tomad|acepta|aceptad|quédate(?: con)?) {_NO_GIFT}(?P<taken>(?!.*\by\b)(?:est[eao]s?|mis?) .+)$",
            rf"(?:esto )?es (?P<this>un (?:pequeño )?regalo(?: para ti)?|para ti)$|est[eao]s? {_NO_GIFT}(?P<these>[\w -]{{2,40}}) (?:es|son) (?:para ti|tuy[oa]s?)$",
            rf"(?:te|os) (?:he traído|traje|he comprado|compré|hice|he hecho|preparé|he preparado|regalé|he regalado|traigo) {_NO_GIFT}(?P<brought>(?:un|una|unos|unas|dos|tres|est[eao]s?|mis?) .+)$", is_act=True),
        rule("broken", "broken",
            r"(?:no (?:he cumplido|cumplí)|(?:he roto|rompí)|(?:he faltado|falté) a) (?:con )?mi (?:promesa|palabra)"),
        rule("you_broke", "broken",
            r"(?:no (?:has cumplido|cumpliste)|(?:has roto|rompiste)|(?:has faltado|faltaste) a) (?:con )?tu (?:promesa|palabra)", mirrored=True),
        rule("kept", "kept", r"(?:ya )?(?:he cumplido|cumplí) (?:con )?mi (?:promesa|palabra)"),
        rule("you_kept", "kept",
            r"(?:ya )?(?:has cumplido|cumpliste) (?:con )?tu (?:promesa|palabra)", mirrored=True),
        rule("withdrawn", "withdrawn",
            r"no (?:puedo|podré) cumplir (?:con )?mi (?:promesa|palabra)",
            r"retiro mi (?:promesa|palabra)", is_act=True),
        rule("oath", "promise",
            rf"(?:yo )?(?:te |os |se |lo )*(?:prometo|prometemos|juro|juramos|garantizo)(?: solemnemente| por [^,]{{1,30}}?)?,? (?P<about>(?:que )?(?:yo )?(?:no |nunca |jamás )?(?:te |os |le |les |lo |la |los |las |me |se |nadie )*{_ANY_SHALL}.*|(?:que )(?!.*\b(?:he|es|está|era|fue)\b).*{_ANY_SHALL}.*|(?:no |nunca |jamás )?(?!haber\b)\w+[aei]r(?:te|os|lo|la|le|me|los|las|se|telo|tela)*\b.*)$",
            rf"(?:tienes|tenéis|te doy|os doy) mi palabra(?: de honor)?(?:,| de que|:)? (?P<word>.*{_ANY_SHALL}.*)$",
            rf"(?P<sworn>.*{_ANY_SHALL}.*), (?:te |os )?(?:lo (?:prometo|juro)|palabra de honor|prometido)$", is_act=True),
        rule("loyal", "promise",
            r"(?P<about>(?:nunca|jamás|no) te (?:traicionaré|abandonaré|dejaré|fallaré|mentiré|defraudaré|robaré|haré daño)\b.*)", is_act=True),
        rule("appointment", "appointment",
            rf"(?:nos vemos|veámonos|nos encontramos|nos encontraremos|nos veremos|encontrémonos|quedamos|quedemos|reunámonos) (?=.*\b{{when}}\b){_PLACE}(?P<about>.+)",
            rf"{{when}},? (?:nos vemos|nos encontramos|nos encontraremos|nos veremos|quedamos) {_PLACE}(?P<then>.+)",
            r"(?:reúnete conmigo|encuéntrate conmigo|ven a verme) (?=.*\b(?:{when}|en|junto|detrás|a medianoche|al mediodía)\b)(?P<come>.+)",
            rf"(?:{{when}},? )?te esperaré {_PLACE}(?P<wait>.+)",
            rf"te espero (?=.*\b{{when}}\b){_PLACE}(?P<now>.+)",
            rf"{{when}},? te espero {_PLACE}(?P<there>.+)", is_act=True),
        rule("offer", "promise",
            rf"(?:{{when}},? )?(?P<about>{_YOU}{_SHALL}\b.*|(?:yo )?{_SHALL} {_YOURS}.+|{_YOU}(?:voy|vamos) a {_TO_DO}\b.*|(?:yo )?(?:voy|vamos) a {_TO_DO}(?:te|os|telo|tela|telos|telas)\b.*|(?:yo )?(?:voy|vamos) a {_TO_DO} {_YOURS}.+)$",
            rf"(?P<now>{_YOU}{_DO_NOW}\b(?=.*\b{{when}}\b).+)$",
            rf"{{when}},? (?P<then>{_YOU}{_DO_NOW}\b.*)$", is_act=True),
        rule("debt", "debt",
            rf"(?:yo )?(?:todavía |aún )?te debo (?:todavía |aún )?{_NOT_OWED}(?P<about>.+)$",
            r"(?:me prestaste|me has prestado) (?!.*\b(?:devolví|devuelto|pagué|pagado)\b)(?P<got>.+)$",
            r"(?:te pedí|te he pedido) (?P<lent>.*\bprestad[oa]s?\b.*)$"),
        rule("you_owe", "debt",
            rf"(?:tú )?(?:todavía |aún )?me debes (?:todavía |aún )?{_NOT_OWED}(?P<about>.+)$",
            r"(?:te presté|te he prestado) (?P<lent>.+)$", mirrored=True),
    ),
    doubts=(
        r"si|quizás?|tal vez|acaso|a lo mejor|(?!herrer|panader|carnicer|librer|cervecer|alegr|galer|caballer|drogue)\w+ría[sn]?|\w+ríamos|ojalá|esper\w+ que|creo|creía|cree|pens\w+|piens\w+|dice[ns]?|dijo|dijiste|dijeron|cuentan|querí\w+|quise|"
        r"ayer|anteayer|antaño|casi|supon\w+|imagin\w+|soñ\w+|sueñ\w+|intent\w+|trat\w+ de|a menos|salvo|excepto|pasad[oa](?! mañana)|desgracia|lamentablemente|por poco|probablemente|"
        r"matar\w*|mataré|degoll\w+|ahorcar\w*|arrepentir\w*|cárcel|guardias?|infierno|verdugo|lección|caro|cada|tod[oa]s l[oa]s|razón|cuando|en cuanto|una vez que|golpe|manda|miedo|pagar por|daño|paliza|puñetazo|bofetada|patada|har(?:é|emos) \w+[aei]r|imposible|merecido|oportunidad|modales|compañía|misma moneda|corazón|respetar\w*|qui[eé]n (?:soy|manda)|malas noticias|oferta|cuento una historia|te (?:encuentro|busco)|te (?:encontraré|buscaré)(?=$)|escond\w+|doy hasta|problemas|lo que (?:te )?mereces?|por la ventana|(?:mostrar|enseñar|muestr|enseñ)\w* la puerta(?=$|,)|(?:acompañar|llevar|sacar|echar)\w* (?:a|por) la puerta|(?:por|de) las escaleras|por la borda|a la tumba"
    ),
    jokes=r"(?:es|era) (?:una )?broma|estoy bromeando|bromeaba|(?<!ni )de broma|y un cuerno|y una mierda|las ranas|vuelen (?:los cerdos|las vacas)|los cerdos vuelen|ya,? claro|sí,? claro(?=\W*$)(?<!^sí, claro)|que te lo has creído|te lo crees tú|ni tú te lo crees|sigue soñando|espera sentad[oa]|^(?!.*\b(?:no|nunca|jamás)\b).* ni (?:en sueños|loc[oa]|de broma|muert[oa]|borrach[oa])",
    insults=r"(?:(?:maldit[oa]s?|pedazo de|so|asqueros[oa]|suci[oa]|vil|tú|sois?|perr[oa]) )*(?:traidor(?:es|as?)?|mentiros[oa]s?|ladr(?:ón|ones|ona)|asesin[oa]s?|cobardes?|canallas?|bastard[oa]s?|escoria|desgraciad[oa]s?|miserables?|malnacid[oa]s?|idiotas?|imbécil(?:es)?|estúpid[oa]s?|neci[oa]s?|villan[oa]s?|rufián|sinvergüenzas?|cabrón|cabrona|tramposo|alimaña|hij[oa] de (?:puta|perra)|(?-i:perr[oa]|cerd[oa]|ratas?|gusano|víbora|serpiente|basura))",
    handed=(
        r"aquí (?:tienes|está|están|te traigo) .*|(?:ya )?te (?:he traído|traje|he devuelto|devolví|he comprado|compré|he conseguido|conseguí|he arreglado|arreglé|he reparado|reparé|he hecho|hice|he dado|di) (?!.*\b(?:pero|casi|mitad)\b).*|"
        r"(?:ya )?(?:he arreglado|arreglé|he reparado|reparé|he curado|curé|he pagado|pagué) (?!.*\b(?:pero|casi|mitad)\b).*|(?:ya )?(?:he encontrado|encontré|he rescatado|rescaté|he salvado|salvé|he vengado|vengué|he recuperado|recuperé) (?=.*\b(?:tu|tus)\b)(?!.*\b(?:pero|casi|mitad)\b).*|"
        r"(?:tu|el|la) \w+ (?:ya )?está (?:arreglad[oa]|reparad[oa]|list[oa]|pagad[oa]|terminad[oa])"
    ),
    unpaid=r"no|nunca|ningun\w*|ningún|sin|parte|mitad|medi[oa]s?|poc[oa]s?|algun\w*|fals[oa]s?|casi|solo|sólo|solamente|pero|mi (?:dinero|oro|plata)|mis monedas|a cuenta",
    all_debts=r"todo|tod[oa]s|en paz|nada|deudas|saldad[oa]s?|olvidad[oa]s?|perdonad[oa]s?|lo que te (?:debo|debía)",
    refuses=(
        r"no(?:,|$| es (?:verdad|cierto|necesario)| hace falta| lo quiero| te creo| puedo| quiero| te debo nada| me debes nada| me (?:diste|has dado|prestaste|pagaste)| me lo creo)|nunca|jamás|mentira|mentiros[oa]|mientes|falso|tonterías|"
        r"quédate(?:lo|la)?|guárda\w*|ni hablar|de ninguna manera|olvídalo|desde cuándo|qué "
    ),
    confirms=r"sí|es verdad|es cierto|cierto|así es|exacto|tienes razón|lo sé|claro|por supuesto|desde luego|de acuerdo|vale|trato hecho",
    days=(
        (r"pasado mañana(?: por la (?:mañana|tarde|noche))?", "the day after tomorrow"),
        (r"(?<!por la )(?<!de la )(?<!la )mañana(?: por la (?:mañana|tarde|noche)| mismo)?", "tomorrow"),
        (r"esta noche|hoy por la noche", "tonight"),
        (r"hoy(?: mismo)?|esta tarde", "today"),
        (r"(?:en|dentro de) {n} días?", "in {n} days"),
        (r"(?:en|dentro de) {n} semanas?", "in {n} weeks"),
        (r"(?:en|dentro de) {n} mes(?:es)?", "in {n} months"),
        (r"(?:en|dentro de) {n} horas?", "in {n} hours"),
        (r"la (?:próxima semana|semana (?:que viene|próxima))", "next week"),
        (r"el (?:próximo mes|mes (?:que viene|próximo))", "next month"),
        (r"esta semana|antes del fin de (?:la )?semana", "this week"),
    ),
    weekdays="lunes martes miércoles jueves viernes sábado domingo",
    numbers="uno|una|un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien|ciento mil",
    amount=r"{n}(?: (?P<unit>(?!d[íi]as?|semanas?|mes(?:es)?|horas?|veces|de)[^\W\d_]+(?: de (?:oro|plata))?))?",
    before_day=r"antes de|antes del|el|hasta|para|a más tardar",
    splits=r"[,:;–—]\s*(?:y |pero |pues |entonces )?|\s(?:y|entonces) ",
    fillers=r"bien|bueno|sí|no(?=,)|claro|vale|de acuerdo|amigo|amiga|gracias|entonces|y|pues|mira|oye|señor|señora|pero|no te preocupes|tranquil[oa]|prometido",
)
# fmt: on
