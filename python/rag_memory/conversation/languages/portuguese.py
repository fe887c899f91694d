"""Portuguese sentences of a talk that bind somebody, name the player or give something, of Brazil above all."""

from __future__ import annotations

from rag_memory.conversation.extraction_rules import PLAYER
from rag_memory.conversation.languages.talk_words import NAME, WRITTEN_NAME, TalkWords, rule
from rag_memory.text.languages.portuguese import PORTUGUESE

_TO_YOU = r"(?=.*\b(?:te|lhe|lhes|você|vocês|ti|teus?|tuas?|seus?|suas?|contigo)\b)"
_PRE = r"(?:eu )?(?:te |lhe |já )?"
_TO_DO = (
    r"(?:trazer|levar|devolver|dar|consertar|arrumar|reparar|encontrar|achar|buscar|pagar|ajudar|proteger|fazer|mostrar|ensinar|enviar|mandar|comprar|construir|forjar|preparar|cozinhar|emprestar|reembolsar|entregar|"
    r"salvar|resgatar|libertar|acompanhar|guiar|curar|vingar|escrever|contar|defender|guardar|conseguir|pegar|recuperar|limpar|cuidar|vigiar|avisar|fabricar|costurar|colher)"
)
_DO_NOW = r"(?:trago|levo|devolvo|dou|conserto|arrumo|reparo|encontro|acho|busco|pago|ajudo|protejo|faço|mostro|ensino|envio|mando|compro|construo|forjo|preparo|cozinho|empresto|entrego|acompanho|guio|curo|escrevo|conto|consigo|pego|recupero|limpo|cuido|aviso)"
_ANY_SHALL = r"(?:\b(?:vou|vamos) (?:te |lhe )?\w+r\b|\b(?!rei\b)\w+rei\b)"
_KEEP = r"(?:conto|revelo|digo|traio|abandono|deixo|falho|minto|esqueço|volto|venho|faço|trago|devolvo|pago|ajudo|conserto|guardo)"
_NOT_OWED = r"(?!.*\b(?:nada|vida|explicaç\w+|desculpas?|favor(?:es)?|respeito|verdade|tudo|muito|tanto|obediência|resposta|obrigaç\w+|satisfaç\w+)\b)(?!\w+[aeio]r\b)"
_OWN_DEBT = r"(?!.* (?:com|para|pra|aos?|à|d[oa]s?) (?!você|vocês|ti\b|(?:o |a )?senhora?\b)|.* de (?:meu|minha|seu|sua|(?-i:[A-Z])\w*)\b)"
_PLACE = r"(?=.*\b(?:no|na|nos|nas|em|junto|perto|atrás|diante|ao|à|às|sob|debaixo)\b)"
_MEET = r"(?:nos vemos|nos encontramos|a gente se (?:encontra|vê)|vamos nos (?:encontrar|ver))"
_COIN = r"(?:moedas?|dinheiro|ouro|prata|reais|escudos|cruzados)"
_NO_NAME = r"(?!(?:assim|como|igual|nada|ninguém|não|também|sempre|agora|muito|pouco|você|eu)\b)"
_PERSON = r"(?: [oa])? (?!(?:Português|Brasileiro|Inglês|Francês|Alemão|Italiano|Espanhol|Romano|Grego|Viking|Elfo|Anão|Orc|Humano|Cavaleiro|Rei|Deus|Capitão|Mestre)a?\b)(?-i:[A-ZÁÂÃÉÊÍÓÔÕÚÇ])"
_A_THING = r"(?:um|uma|uns|umas|est[ea]s?|ess[ea]s?|meus?|minhas?|dois|duas|três|quatro|cinco)\b"
_NO_GIFT = (
    r"(?!.*\b(?:palavra|razão|sorte|conselhos?|ordens?|mão|dias?|horas?|minutos?|segundos?|tempo|permissão|nome|oportunidade|chance|resposta|missão|ajuda|amizade|vida|perdão|golpes?|tapas?|beijos?|lição|gole|notícias?|caminho|rota|assento|cadeira|porta|rua|direção|"
    r"troca|emprestad[oa]s?|moedas?|dinheiro|reais|escudos|cruzados|medo|pena|aviso|momento|abraço|favor|susto|camino|ruta|asiento|silla|puerta|calle|dirección)\b)"
)

# fmt: off
TALK_PORTUGUESE = TalkWords(
    recall=PORTUGUESE,
    rules=(
        rule("paid", "payment",
            rf"(?:eu )?(?:já )?(?:paguei|quitei|saldei) (?:todas? )?(?:as? )?minhas? dívidas?\b{_OWN_DEBT}", rf"(?:eu )?(?:já )?(?:te|lhe) (?:devolvi|paguei) {_OWN_DEBT}(?:já )?(?:tudo|o dinheiro|o que (?:te|lhe) devia|.*{_COIN})\b", r"(?:agora |já )?estamos quites",
            rf"aqui (?:está|estão|tens|tem(?= (?:o|a|os|as|seus?|suas?|teus?|tuas?)\b)) (?:\w+ ){{0,3}}{_COIN}(?: de (?:ouro|prata))?(?: que (?:eu )?(?:te|lhe) (?:devo|devia)|$)", r"aqui está o que (?:eu )?(?:te|lhe) (?:devo|devia)"),
        rule("you_paid", "payment", r"(?:você )?(?:já )?não me deves? (?:mais )?nada", r"(?:a )?(?:sua|tua) dívida (?:já )?está (?:paga|quitada|saldada|perdoada)", r"você (?:já )?me pagou(?: tudo)?", mirrored=True),
        rule("name", "name",
            rf"(?:(?:eu )?me chamo|chamo-me) {_NO_NAME}{NAME}",
            rf"(?:(?:o )?meu (?:verdadeiro )?nome é|(?:todos |meus amigos )?me chamam(?: de)?|(?:pode|podes|podem) me chamar de|me chame de|(?:eu )?sou(?={_PERSON})) {WRITTEN_NAME}", by=(PLAYER,)),
        rule("gift", "gift",
            rf"(?:eu )?(?:te|lhe) (?:dou|ofereço|presenteio com) {_NO_GIFT}(?P<about>{_A_THING}.+)$|(?:dou|ofereço)-(?:te|lhe) {_NO_GIFT}(?P<given>{_A_THING}.+)$",
            rf"(?:aqui (?:está|tem|tens)|toma|tome) (?P<here>um (?:pequeno )?presente\b.*|{_NO_GIFT}{_A_THING}.+ (?:para|pra) (?:você|ti|vocês))$",
            rf"(?:toma|tome|aceite|aceita|pegue|pega|fique com|fica com) {_NO_GIFT}(?P<taken>(?!.*\be\b)(?:est[ea]s?|ess[ea]s?|(?:o |a )?(?:meu|minha)s?) .+)$",
            rf"(?:isto |isso )?é (?P<this>um (?:pequeno )?presente(?: (?:para|pra) (?:você|ti))?|(?:para|pra) (?:você|ti))$|(?:est[ea]s?|ess[ea]s?) {_NO_GIFT}(?P<these>[\w -]{{2,40}}) (?:é|são) (?:(?:para|pra) (?:você|ti)|su[ao]s?|tu[ao]s?|teus?)$",
            rf"(?:eu )?(?:te |lhe )(?:trouxe|comprei|fiz|preparei|dei) {_NO_GIFT}(?P<brought>(?:um|uma|uns|umas|dois|duas|três|est[ea]s?|ess[ea]s?) .+)$|(?:eu )?(?:trouxe|comprei|fiz|preparei) {_NO_GIFT}(?P<for_you>(?:um|uma|uns|umas|dois|duas|três|est[ea]s?|ess[ea]s?) .+ (?:para|pra) (?:você|ti))$", is_act=True),
        rule("broken", "broken", r"(?:eu )?(?:não cumpri|quebrei|faltei com) (?:com )?(?:a )?minha (?:promessa|palavra)"),
        rule("you_broke", "broken", r"(?:você não cumpriu|você quebrou|não cumpriste|quebraste) (?:com )?(?:a )?(?:sua|tua) (?:promessa|palavra)", mirrored=True),
        rule("kept", "kept", r"(?:eu )?(?:já )?(?:cumpri|mantive) (?:com )?(?:a )?minha (?:promessa|palavra)"),
        rule("you_kept", "kept", r"(?:você (?:já )?(?:cumpriu|manteve)|cumpriste) (?:com )?(?:a )?(?:sua|tua) (?:promessa|palavra)", mirrored=True),
        rule("withdrawn", "withdrawn", r"(?:eu )?não (?:posso|vou poder|poderei) cumprir (?:a )?minha (?:promessa|palavra)", r"(?:eu )?retiro (?:a )?minha (?:promessa|palavra)", is_act=True),
        rule("oath", "promise",
            rf"(?:eu )?(?:te |lhe )?(?:prometo|juro|garanto|prometemos|juramos)(?: (?:a|para) você| solenemente| (?:por|pela|pelo) (?:minha |meu )?\w+)?,? (?P<about>(?:que )?(?:eu )?(?:não |nunca |jamais )?(?:te |lhe |o |a )?(?:{_ANY_SHALL}|{_KEEP}\b|(?!ter\b|haver\b|ser\b|estar\b)\w+[aeio]r\b).*)$",
            rf"(?:você tem|vocês têm|tens|(?:te|lhe) dou|dou-lhe|dou-te) (?:a )?minha palavra(?: de honra)?(?:,| de que|:)? (?P<word>(?:eu )?(?:não |nunca )?{_ANY_SHALL}.*)$",
            rf"(?P<sworn>(?:eu )?.*{_ANY_SHALL}.*), (?:eu )?(?:te )?(?:prometo|juro|palavra de honra|prometido)$", is_act=True),
        rule("loyal", "promise", r"(?P<about>(?:eu )?(?:nunca|jamais|não) (?:vou )?(?:te |lhe )(?:trair|trairei|abandonar|abandonarei|deixar|deixarei|mentir|mentirei|decepcionar|roubar)\b.*)", is_act=True),
        rule("appointment", "appointment",
            rf"{_MEET} (?=.*\b{{when}}\b){_PLACE}(?P<about>.+)", rf"{{when}},? {_MEET} {_PLACE}(?P<then>.+)", r"(?:me encontre|encontre-me|encontre-se comigo|venha me ver) (?P<meet>(?=.*\b(?:{when}|no|na|em|à meia-noite)\b).+)",
            rf"{{when}},? {_PRE}(?:espero|vou esperar|vou te esperar|esperarei) {_PLACE}(?P<wait>.+)", rf"{_PRE}(?:espero|vou esperar|esperarei) (?:por )?(?:você )?(?=.*\b{{when}}\b){_PLACE}(?P<now>(?!que\b).+)", is_act=True),
        rule("offer", "promise",
            rf"(?P<about>{_TO_YOU}(?:{{when}},? )?{_PRE}(?:(?:vou|vamos) (?:te |lhe )?{_TO_DO}\b|(?:{_TO_DO}|trar|far|dir)ei\b).*)$", rf"(?P<now>(?=.*\b{{when}}\b){_TO_YOU}(?:{{when}},? )?{_PRE}{_DO_NOW}\b.*)$", is_act=True),
        rule("debt", "debt",
            rf"(?:eu )?(?:ainda )?(?:te|lhe) devo (?:ainda )?{_NOT_OWED}(?P<about>.+)$", rf"(?:eu )?(?:ainda )?devo (?P<to_you>{_NOT_OWED}.+ (?:a|para) (?:você|ti)\b.*)$", r"(?:eu )?(?:peguei|tomei) (?P<lent>.*\bemprestad[oa]s?\b.*\b(?:de você|contigo|de ti|com você)\b.*)$", r"(?:você me emprestou|me emprestaste|emprestaste-me) (?!.*\b(?:devolvi|devolvido|paguei|pago)\b)(?P<got>.+)$"),
        rule("you_owe", "debt", rf"(?:você |tu )?(?:ainda )?me deves? (?:ainda )?{_NOT_OWED}(?P<about>.+)$", r"(?:eu )?(?:te|lhe) emprestei (?P<lent>.+)$", mirrored=True),
    ),
    doubts=(
        r"(?<!não )se(?! (?:preocupe|preocupem|encontra|vê))|talvez|quem sabe|porventura|(?!hist|mem|vit|gl|próp|pada|cerveja|livra|ferra|cavala|gale|ale|cateria)\w+ria[ms]?|\w+ríamos|tomara|acho|achava|achei|pens\w+|diz|dizem|disse\w*|contam|queria|quis|pretendia|"
        r"ontem|anteontem|antigamente|quase|suponh\w+|imagin\w+|sonh\w+|tent\w+|a menos|exceto|infelizmente|quando|assim que|logo que|cada|tod[oa]s (?:os|as)|por pouco|provavelmente|passad[oa]|espero que|"
        r"matar\w*|enforcar\w*|arrepender\w*|cadeia|prisão|guardas?|inferno|carrasco|lição|caro|medo|manda|surra|escond\w+|troco|até amanhã|problemas|razão|soco|tapa|tapas|pontapé|te fazer \w+[aeio]r|chance|oportunidade|companhia|merece|juiz|parabéns|uma coisa|fazer você|te (?:encontrar|achar|pegar|buscar)(?=$)|respeitar|más notícias|te conto uma|o que mereces|pela janela|mostrar\w* a porta(?: da rua)?(?=$|,)|até a porta(?=$|,)|porta afora|escada abaixo|(?:pela|a) escada de cabeça|pela borda|para a cova"
    ),
    jokes=r"(?:é|era|foi) (?:uma )?brincadeira|estou brincando|brincava|de brincadeira|uma ova|só que não(?=\W*$)|são nunca|até parece|vai sonhando|espera sentad[oa]|(?:galinhas? (?:tiver|criar)|vacas? voa)\w*|conta outra|me engana que eu gosto|^(?!.*\b(?:não|nunca|jamais)\b).* nem (?:que a vaca|mort[oa]|em sonhos?|pensar|a pau)",
    insults=r"(?:(?:seus?|suas?|maldit[oa]s?|grande) )*(?:traidor(?:es|as?)?|mentiros[oa]s?|ladrão|ladrões|ladra|assassin[oa]s?|covardes?|canalhas?|desgraçad[oa]s?|miserável|bastard[oa]s?|idiotas?|imbecil|estúpid[oa]s?|cretin[oa]s?|verme|escória|patifes?|cafajeste|vagabund[oa]s?|otári[oa]s?|babacas?|filh[oa] da puta|trapaceir[oa]s?|(?-i:cachorr[oa]|porc[oa]|rato|cobra|víbora|lixo))|(?:seu|sua) (?:\w+ )?(?:cachorr[oa]|porc[oa]|rato|cobra|víbora|lixo)",
    handed=(
        r"aqui (?:está|estão|tem|tens) .*|(?:eu )?(?:já )?(?:te |lhe )?(?:trouxe|devolvi|consertei|arrumei|reparei|comprei|consegui|paguei|curei|entreguei) (?!.*\b(?:mas|quase|metade)\b).*|(?:eu )?(?:já )?(?:encontrei|achei|resgatei|salvei|vinguei|recuperei) (?=.*\b(?:seus?|suas?|teus?|tuas?)\b)(?!.*\b(?:mas|quase|metade)\b).*|"
        r"(?:o|a)(?: seu| sua| teu| tua)? \w+ (?:já )?está (?:consertad[oa]|arrumad[oa]|pront[oa]|pag[oa])"
    ),
    unpaid=r"não|nunca|nenhum\w*|sem|parte|metade|mei[oa]s?|pouc[oa]s?|algum\w*|algun\w*|fals[oa]s?|quase|só|somente|apenas|mas|meu (?:dinheiro|ouro)|minha prata|minhas moedas",
    all_debts=r"tudo|tod[oa]s?|quites|nada|dívidas|quit(?:ei|ada)|sald(?:ei|ada)|perdoada|o que (?:eu )?(?:te|lhe) (?:devo|devia)",
    refuses=(
        r"não(?:,|$| é (?:verdade|necessário)| precisa| quero| acredito| posso| te devo nada| lhe devo nada| me deves? nada| me (?:deu|emprestou|pagou))|nunca|jamais|mentira|mentiros[oa]|você mente|falso|bobagem|besteira|fique com|fica com|guarde|guarda|"
        r"de jeito nenhum|nem pensar|esqueça|esquece|desde quando|você não me deve|que "
    ),
    confirms=r"sim|é verdade|verdade|é isso|isso mesmo|exato|certo|tem razão|você tem razão|eu sei|sei|claro|com certeza|de acordo|combinado|lembro",
    days=(
        (r"depois de amanhã(?: de manhã| à noite| à tarde)?", "the day after tomorrow"),
        (r"amanhã(?: de manhã| à noite| à tarde| cedo| mesmo)?", "tomorrow"),
        (r"hoje à noite|esta noite", "tonight"),
        (r"hoje(?: mesmo| à tarde)?(?! em dia)|esta tarde", "today"),
        (r"(?:em|dentro de|daqui a) {n} dias?", "in {n} days"),
        (r"(?:em|dentro de|daqui a) {n} semanas?", "in {n} weeks"),
        (r"(?:em|dentro de|daqui a) {n} m[eê]s(?:es)?", "in {n} months"),
        (r"(?:em|dentro de|daqui a) {n} horas?", "in {n} hours"),
        (r"(?:na )?(?:semana que vem|próxima semana)", "next week"),
        (r"(?:no )?(?:mês que vem|próximo mês)", "next month"),
        (r"(?:n?esta|ainda esta) semana|antes do fim da semana", "this week"),
    ),
    weekdays="segunda-feira|na\\s+segunda(?!\\s+vez) terça(?:-feira)? quarta(?:-feira)? quinta(?:-feira)? sexta(?:-feira)? sábado domingo",
    numbers=(
        "um|uma dois|duas três quatro cinco seis sete oito nove dez onze doze treze quatorze|catorze quinze dezesseis|dezasseis dezessete|dezassete dezoito dezenove|dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem|cento mil"
    ),
    amount=r"{n}(?: (?P<unit>(?!(?:dias?|semanas?|m[eê]s(?:es)?|horas?|vez(?:es)?|de)\b)[^\W\d_]+(?: de (?:ouro|prata))?))?",
    before_day=r"antes de|até|na|no|para",
    splits=r"[,:;–—]\s*(?:e |mas |então |pois )?|\s[-–—]\s|\s(?:e|então) ",
    fillers=r"bem|bom|sim|não(?=,)|claro|certo|de acordo|amigo|amiga|meu amigo|obrigad[oa]|então|e|mas|olha|olhe|senhor|senhora|não se preocupe|fique tranquil[oa]|combinado",
)
# fmt: on
