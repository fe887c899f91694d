"""For each rule that reads facts out of talk, ten sentences that it has to match and ten that it must not."""

from __future__ import annotations

MATCHES: dict[str, str] = {
    "threat": """
        I'll kill you if you touch her.
        Pay me by tomorrow or I'll break your legs.
        If you don't open the gate, we'll burn your house down.
        I swear I'll cut off your ears.
        You'll regret this!
        Give me the map, or you'll die here.
        I'm going to report you to the guards.
        Leave this town by sunset or else.
        Stay away from my sister or I will have you hanged.
        You will pay for this.
        Keep quiet, or we'll hunt you down.
        I will make you suffer.
        """,
    "withdrawn": """
        I can't fix your roof after all.
        I won't bring the medicine after all.
        I have to take back my promise.
        I take my word back.
        I can't keep my promise about the horse.
        I've changed my mind about the roof.
        We're not going to guard the caravan after all.
        I'm afraid I cannot come with you after all.
        I must withdraw my offer.
        I won't be able to honour my oath.
        """,
    "released": """
        You don't have to bring the medicine any more.
        You needn't fix the roof after all.
        I release you from your promise.
        Forget about your promise.
        You no longer need to guard the sheep any more.
        I won't hold you to that.
        We free you of your oath.
        I don't need the medicine any more.
        No need to fetch the horse any longer.
        You need not pay for the window after all.
        """,
    "threat_withdrawn": """
        I didn't mean it.
        I take it back.
        I take it all back.
        I won't hurt you.
        I will not burn your house.
        Forget what I said.
        It was an empty threat.
        I did not mean to threaten you.
        I never meant that.
        We won't harm anyone.
        """,
    "not_met": """
        I can't make it tomorrow.
        I cannot come tonight.
        I won't be there.
        I couldn't make it to the mill.
        I won't be able to come.
        Let's call off the meeting.
        I have to cancel our appointment.
        The meeting is off.
        I can't meet you at the bridge.
        We must cancel tomorrow's meeting.
        """,
    "met": """
        Here I am, as we agreed.
        I'm here, as promised.
        I came, just as you asked.
        Here I am.
        I'm here.
        You came!
        You made it after all.
        We're here, like we planned.
        I came here as arranged.
        We made it.
        """,
    "appointment": """
        Meet me at the bridge tomorrow at noon.
        Let's meet behind the mill.
        I'll meet you at the inn tonight.
        We should meet again next week.
        I'll see you at the docks at midnight.
        See you at the market tomorrow.
        Come to my house tomorrow evening.
        Be at the gate by dawn.
        Please meet us in the old tower.
        Then meet me by the well at sunset.
        I will await you at the shrine tomorrow.
        The duel is at dawn.
        """,
    "oath_beside": """
        You have my word. I'll hold the bridge.
        I'll bring her home, I swear.
        On my honour, I will return the horn to you.
        We will be back by winter. You have our word.
        I promise you. I won't sleep until he's safe.
        I'll pay the toll for all of us, I promise.
        Count on me. I'll keep the lamps burning.
        By the gods, I will find that thief!
        I'm going to free them all, that's a promise.
        Cross my heart, I'll never say a word.
        """,
    "oath": """
        I promise to feed your dog.
        I swear that I'll never touch a drop again.
        We vow to guard the shrine until spring.
        I promise you that nobody will lay a hand on your boy.
        I give you my word that the letter will reach her.
        I swear not to tell your mother.
        You have my word that I'll be silent.
        I swear to water the roses.
        If the dam breaks, I promise to warn you.
        I solemnly swear I will avenge him.
        """,
    "offer": """
        I'll bring you the salve tomorrow.
        I will mend your fence before the storm.
        We'll protect your caravan.
        I won't let you down.
        I'll never betray you.
        I'm going to help you find your cat.
        I'll teach you how to swim.
        Don't worry, I'll find your keys.
        I'll help you with the window, my friend.
        I'll bring you the traitor's head.
        I'll pay you back when I've sold the pelts.
        We will not abandon your people.
        """,
    "kept": """
        I kept my promise.
        I've kept my word: the well is dug.
        We kept our end of the bargain.
        As promised, here comes the rain.
        I have fulfilled my oath.
        I've done what I promised.
        I always kept my word to you.
        Just as I promised, the gate is open.
        I honoured my vow.
        We've made good on our promise.
        """,
    "you_kept": """
        You kept your promise.
        You've kept your word, stranger.
        You really kept your promise.
        You have fulfilled your oath.
        You honoured your vow.
        You kept your word, and I thank you.
        You actually kept your promise!
        You have indeed kept your word.
        You fulfilled your promise.
        You kept your oath to the end.
        """,
    "broken": """
        I broke my promise.
        I have broken my oath.
        I couldn't keep my word.
        We failed to keep our promise.
        I did not keep my promise.
        I'm sorry. I've broken my word to you.
        I could not keep my vow.
        I didn't keep my promise to you.
        We have broken our word.
        I broke my word, forgive me.
        """,
    "you_broke": """
        You broke your promise.
        You have broken your word.
        You didn't keep your promise.
        You promised to come, but you never did.
        You failed to keep your word.
        You've broken your oath, knight.
        You promised me a boat and you lied.
        You did not keep your word.
        You broke your vow to me.
        You promised to wait, yet you failed.
        """,
    "name": """
        My name is Orla.
        Call me Finn.
        I'm Beatrix.
        The name's Marlow.
        My name is mcTavish.
        They call me Lucky.
        My name is d'Orsay.
        I am Hallvard the Lame, and I seek work.
        You may call me Juno.
        My real name is Xenia Petrov.
        """,
    "debt_paid": """
        I paid you back the forty gold.
        Here's the silver I owe you.
        I've paid my debt.
        I paid you back 20, 10 are left.
        My debt to you is settled.
        I already paid you for the horse and the saddle in full.
        Here are four of the ten pelts.
        I've given you back everything.
        I paid you 12 gold.
        We're even now.
        """,
    "you_paid": """
        Your debt is paid.
        You have paid me back.
        Consider your debt settled.
        You don't owe me anything any more.
        You paid your debt.
        Your tab is cleared.
        You've repaid me.
        You paid me what you owed.
        Your debt to me is forgiven.
        You no longer owe me anything.
        """,
    "debt": """
        I owe you 30 gold for the cart.
        I owe you a beer.
        We owe you two days of work.
        I borrowed twelve arrows from you.
        You lent me your saddle.
        I still owe you for the ale.
        I owe you five more.
        I owe forty crowns to you.
        Well, I owe you a horse, I know.
        You loaned me 80 credits.
        """,
    "you_owe": """
        You owe me 20 gold.
        You still owe me for the window.
        I lent you my best hammer.
        You owe us six barrels of beer.
        And you owe me a drink.
        You owe me fifty, thief.
        I loaned you thirty credits.
        Remember, you owe me two crowns.
        You still owe us three sheep.
        I already lent you ten dollars.
        """,
    "gift": """
        Here, take this cloak.
        Here's a pie for your children.
        This lute is for you.
        I want you to have this brooch.
        Please accept this medal.
        Here you go, a hot tea.
        Keep the change.
        I give you the shield of my house.
        Have these boots, they're too small for me.
        Here are some pears.
        """,
    "brought": """
        I brought you some honey.
        I made you a scarf.
        I have a present for you: a tin whistle.
        I got this map for you.
        I found the ring you lost.
        I've baked you a loaf.
        We bought you a new anvil.
        I gave you a goat last spring.
        I carved you a spoon.
        I picked some violets for you.
        """,
    "plan_meant": """
        I plan to sell the mill.
        We intend to cross the pass.
        I've decided to join the navy.
        I'm thinking of buying a boat.
        My plan is to sleep till noon.
        I'm planning on leaving the guild.
        I'm about to sail.
        We've decided to marry.
        I aim to win that race.
        I'm considering moving to the coast.
        """,
    "plan_moving": """
        I'm heading to the coast.
        We leave at dawn.
        I'm off to the mine.
        I'm moving to Lyon next month.
        We ride at first light.
        I have to go back to the fort tonight.
        I'm leaving tomorrow.
        We're marching on the capital.
        I'm selling the farm next spring.
        I'm on my way to the temple.
        """,
    "plan_will": """
        I'll search the crypt tonight.
        I'm going to visit my uncle in Varn.
        Tomorrow I'll go to the market.
        We'll attack the fort at dawn.
        I will try to reach the summit.
        I'm going to build a boat.
        I'll leave the city after the feast.
        We're going to explore the caves.
        I'll ask the priest about it tomorrow.
        I'm going to buy a horse.
        """,
    "origin": """
        I come from the marshes.
        I'm from Varn.
        I grew up in a monastery.
        We hail from the southern isles.
        I was born in Tarsk.
        I'm originally from Lisbon.
        I was raised on a farm near Ost.
        Born and raised in Hull.
        I came here from the colony.
        We are from the Iron Hills.
        """,
    "home": """
        I live in Oakvale.
        I live near the mill with my aunt.
        My house is next to the well.
        We live on a barge.
        I've always lived in this valley.
        Our farm lies north of the river.
        I dwell under the mountain.
        I'm living at my brother's place.
        My cabin is by the lake.
        My home is in the old tower.
        """,
    "lodging": """
        I'm staying at the Red Boar.
        We're camped by the ford.
        You can find me at the docks.
        I have a room above the bakery.
        I'm sleeping in the stable.
        I sleep in the barn.
        You'll find me in the library.
        I'm hiding in the cellar.
        I'm lodging with the widow.
        We camp near the ruins.
        """,
    "work": """
        I work at the forge.
        I'm working in the mines.
        I work as a clerk in the harbour office.
        I work on a whaler.
        We work in the kitchens.
        I'm working at the hospital.
        I work aboard the Swallow.
        I work in a bank.
        I'm working as a guard at the gate.
        I work at Miller's.
        """,
    "place": """
        The key is hidden behind the painting.
        I buried the chest under the oak.
        There's a cave behind the waterfall.
        The inn is on the main square.
        You'll find the smith next to the church.
        The ruins lie north of the lake.
        I left my axe in the shed.
        The safe is on the second floor.
        We hid the boat near the old pier.
        There is a tunnel under the chapel.
        """,
    "deed": """
        *hands you a letter*
        *gives her the amulet*
        *presses a coin into your palm*
        *slides the folder across the table*
        *tosses you an apple*
        *passes the salt to you*
        *puts a key in your hand*
        *offers you nothing* *hands Mira a cup*
        *slips you a note*
        *presents the sword to you*
        """,
    "loan": """
        Lend me twenty gold. | Here. I want it back.
        Can you lend me ten silver? | Sure, don't lose it.
        Could I borrow your horse? | Take her, but bring her back.
        Spot me five bucks? | Fine. Five.
        Can I borrow a hundred credits? | A hundred. Sign here.
        Loan me your shield, please. | Aye, take it.
        Could you advance me two crowns? | All right, two crowns.
        May I borrow the ladder? | Of course.
        Wire me 300 credits, will you? | Done. By Friday, then.
        Could we borrow your boat? | Very well, until noon.
        """,
    "handed_over": """
        Here are fifteen. | Fifteen. Noted.
        Twenty gold. There. | Counted.
        Ten back. | Forty to go.
        Here's another ten. | Thanks.
        And here's thirty of it. | Good.
        I dropped twenty in your box. | Got it.
        Sent you half. | Received.
        Take this: ten for you, and five for the cook. | Ten for me. Aye.
        There, 20 gold. | Thank you.
        Here, five more. | So be it.
        """,
}
MISSES: dict[str, str] = {
    "threat": """
        I'll beat you at dice.
        I'll cut you a slice of bread.
        I'll break the curse for you.
        I'll kill the wolves that hunt you.
        You'll be sorry to hear that.
        Would I hurt you?
        Bjorn said he will burn your house down.
        I'll make you a sword or a shield.
        I'll burn you a candle.
        I won't hurt you.
        You will pay for the bread tomorrow.
        Do you want gold, or else silver?
        I'll beat you to the river.
        The bandits will kill you.
        """,
    "withdrawn": """
        I can't fix your roof.
        I won't let you down.
        After all, I promised.
        Can you come after all?
        I've changed my mind about you.
        They took back the fort.
        I can't believe you kept your promise.
        I never break my promise.
        I came after all.
        Take the sword back.
        """,
    "released": """
        You don't have to shout.
        You needn't worry any more.
        Don't forget your promise.
        You don't need to thank me after all.
        Do I still need to bring the medicine?
        I released the birds.
        You have to bring the medicine.
        I need the medicine more than ever.
        Forget it.
        I can't hold you any longer.
        """,
    "threat_withdrawn": """
        I mean it.
        I'll take it.
        Did you mean that?
        They won't hurt you.
        I won't forget what you said.
        You hurt me.
        I took the sword back to the smith.
        He didn't mean it.
        Never forget what I taught you.
        I would hurt you.
        """,
    "not_met": """
        I can come tomorrow.
        I'll be there.
        Can't you come tomorrow?
        Let's call the dog.
        The cheese is off.
        We can't make bread without flour.
        You couldn't make it.
        I can't hear the music.
        Let's cancel the feast.
        She can't come.
        """,
    "met": """
        Here I am not welcome.
        I came from the north.
        I'm here to buy a sword.
        Are we here?
        You came too late for the feast.
        You came from the forest.
        We're here for the wedding of a friend.
        I'm here alone.
        He came, as agreed.
        I came to see the queen.
        """,
    "appointment": """
        See you tomorrow.
        See you later!
        I'll see you in hell.
        Let's meet halfway.
        We met at the inn yesterday.
        I meet many people in the tavern.
        Let's meet some day.
        You should meet my brother at the forge.
        Nice to meet you at last.
        I'd love to see the castle tomorrow.
        I see you at the market every week.
        Come to the point.
        Come with me.
        He will meet you at the bridge.
        """,
    "oath_beside": """
        I'll be damned, I swear.
        I'll say, by the gods.
        You have my word. It was an accident.
        I'll see you around, I promise.
        Maybe I'll come, I promise nothing.
        Will you come, I promise it's fun?
        He'll bring it. He has given his word.
        I would help you, I swear.
        I'll think about it, I promise.
        She said I'll do it. By the gods!
        """,
    "oath": """
        I promise you, he's dead.
        I swear I saw a ghost.
        I can't promise anything.
        I promised Gregor to fix the roof.
        Do you promise to come?
        He promised to pay.
        I swear to god, that's enough.
        I promise to marry your goat. Just kidding!
        I never promised to stay.
        I would promise to stay if I could.
        """,
    "offer": """
        I'll give you that.
        I'll give you a minute.
        I'll show you who's boss.
        I'll tell you what.
        I'll make you sorry.
        I'll watch your back, traitor.
        I'll show you the door, you dog.
        I'll help you out of the window today.
        I'll bring you what you deserve.
        I'll save you, my foot.
        I'll pay you back when pigs fly.
        I'll get you next time.
        I'll let you off this once.
        Maybe I'll help you.
        Will I help you?
        I'd help you if I could.
        """,
    "kept": """
        Have I kept my promise?
        He kept his promise.
        I would have kept my word.
        I keep my horses here.
        If I had kept my promise, she'd be alive.
        I kept the change.
        You never kept your promise.
        I will keep my promise.
        Nobody kept their word.
        She says I kept my word.
        """,
    "you_kept": """
        Have you kept your promise?
        If you kept your word, I'd sing.
        You kept your horse here.
        You never kept your word.
        I hope you kept your promise.
        You should keep your promise.
        They kept your promise alive.
        You kept your mouth shut.
        Did you keep your word?
        You would have kept your word.
        """,
    "broken": """
        I broke my arm.
        I never broke my promise.
        He broke his word.
        Did I break my promise?
        If I break my word, hang me.
        I broke the vase.
        I will not break my promise.
        Promises get broken.
        They broke my spirit.
        I couldn't keep my balance.
        """,
    "you_broke": """
        You broke my heart.
        You broke the plate.
        If you broke your promise, I'd know.
        Did you break your word?
        You will break your promise.
        They broke your fence.
        You never broke your promise.
        You broke even.
        You promised, and you came.
        He didn't keep your secret.
        """,
    "name": """
        My name is not important.
        I'm tired.
        I'm Scottish.
        Call me later.
        My brother's name is Karl.
        Is your name Orla?
        Call me crazy, but I like it.
        I'm Groot's friend.
        My name is on the list.
        I am the captain.
        """,
    "debt_paid": """
        I paid my debt to Gregor.
        Gregor paid me back.
        I'll pay you back.
        I haven't paid you back.
        Did I pay you back?
        If I paid you back, would you smile?
        I paid the smith for the hinges.
        He paid his debt.
        I want to pay my debt.
        Pay me back.
        """,
    "you_paid": """
        You paid Gregor back.
        Have you paid me back?
        Your debt grows.
        You will pay for this.
        If you paid me back, I'd forget it.
        Your debt is 40 gold.
        You never paid your debt.
        Pay your debt.
        He paid your debt in full, he says.
        You owe me 5 gold.
        """,
    "debt": """
        I owe you one.
        I owe you nothing.
        I owe you an apology.
        I owe you my life.
        What do I owe you?
        I owe Gregor ten gold.
        I don't owe you anything.
        Kael owes you money.
        I owe you big time.
        I owe it to you to be honest.
        """,
    "you_owe": """
        You owe me nothing.
        You owe me an explanation.
        You owe Gregor ten gold.
        You owe me one.
        Do you owe me money?
        You don't owe me anything.
        He owes me 5 gold.
        If you owe me, pay.
        You owe me the truth.
        You owe it to yourself.
        """,
    "gift": """
        Here's the plan.
        Take my advice.
        Take this to Bjorn.
        Take this for 20 gold.
        Here's a question for you.
        I'll take this sword.
        Take the road to the north.
        I give you my word.
        Take this down.
        Here's how it works.
        """,
    "brought": """
        I brought you here.
        I have a question for you.
        I got you out.
        I made you angry.
        Did I bring you flowers?
        I have bad news for you.
        Kael brought you a ring.
        I would have brought you a gift.
        I made you a promise.
        I got you all wrong.
        """,
    "plan_meant": """
        I mean to be honest.
        Do you plan to stay?
        He plans to rob the bank.
        I was planning to leave.
        If I decide to go, I'll say so.
        I don't intend to pay.
        I might decide to stay.
        You plan to sell it.
        I'm thinking of you.
        I'm considering it.
        """,
    "plan_moving": """
        I'm going crazy.
        I'm going nowhere.
        I went to the coast.
        I'm not leaving.
        Are we leaving at dawn?
        They leave at dawn.
        I'm off sick.
        I'm going to be sick.
        I'm leaving nothing to chance.
        If it rains, we leave at dawn.
        """,
    "plan_will": """
        I'll have an ale.
        I'll see you around.
        I'll kill you.
        I would go to the coast.
        Will I go to the market?
        I'll be fine.
        I'm going to be sick.
        I won't go to the wedding.
        Maybe I'll go to the capital.
        He'll go to the market tomorrow.
        """,
    "origin": """
        I come in peace.
        I'm from a family of bakers.
        Where are you from?
        I'm far from done.
        He comes from Varn.
        Are you from Varn?
        I came from nothing.
        I'm not from here.
        It's from my mother.
        I was born to rule.
        """,
    "home": """
        I live in fear.
        Where do you live?
        He lives in Varn.
        I want to live in Varn.
        I live for the hunt.
        I'd live in a palace.
        Long live the king.
        My house burned down.
        Do you live near here?
        I used to dream of a farm.
        """,
    "lodging": """
        I'm staying out of it.
        Are you staying at the inn?
        He's staying at the inn.
        You can find it at the docks.
        I'm sleeping badly.
        I slept in the barn.
        I'm staying.
        I would stay at the inn.
        Stay in the house.
        You'll find nothing there.
        """,
    "work": """
        I work hard.
        Does it work in the rain?
        He works at the forge.
        I want to work at the forge.
        It works on me.
        I worked at the forge once, years ago.
        I'm working on it.
        We could work in shifts.
        Work at it.
        I work for nobody.
        """,
    "place": """
        The king is in danger.
        The devil is in the details.
        Is the key under the mat?
        My heart is in the highlands.
        The truth is somewhere in between.
        I left my wife in tears.
        You'll find out soon.
        There's a reason for that.
        He says the key is under the mat.
        The town is under attack.
        """,
    "deed": """
        *offers her hand*
        *shakes it*
        *smiles at you*
        *gives up*
        *throws up*
        *takes your ring*
        *looks at the letter*
        *puts the key in the lock*
        *drops to the ground*
        *hands on hips*
        """,
    "loan": """
        Lend me twenty gold. | No.
        Can you lend me ten silver? | Why should I?
        Could I borrow your horse? | She's lame.
        Spot me five bucks? | In your dreams.
        Lend me your ear. | What is it?
        Can I borrow a hundred credits? | I don't lend money.
        He lent me ten gold. | Did he?
        Could Gregor borrow your boat? | Sure.
        Loan me your shield, please. | I need it myself.
        Never lend money. | Wise words.
        """,
    "handed_over": """
        Twenty gold? | That's the price.
        How about thirty? | Hm.
        Give me twenty gold. | No.
        I have twenty gold. | Lucky you.
        Here are fifteen pelts. | Nice.
        Ten o'clock. | I'll be there.
        Twenty for Gregor. | He'll be glad.
        It costs thirty. | It does.
        Five wolves. | Where?
        I saw ten men there. | Soldiers?
        """,
}
DENIALS: dict[str, str] = {
    "denied": """
        I already paid you the ten gold. | You did not.
        I gave you a ring yesterday. | I never saw any ring.
        You owe me 40 gold. | I owe you nothing.
        I kept my promise. | Liar.
        Here, take this necklace. | Take it back.
        We're even. | We're not. You still owe me for the lamp.
        My name is Duke Aldric. | You are no duke. You're Pim.
        I promise to guard your sheep. | Keep your promises. I don't want them.
        I paid you back 30 gold. | That's a lie, I've seen no gold.
        I owe you 20 gold. | It was thirty, not twenty.
        """,
    "not_denied": """
        I already paid you the ten gold. | I know. I counted it twice.
        I gave you a ring yesterday. | I haven't taken it off since.
        I owe you 40 gold. | And I have not forgotten it.
        I kept my promise. | I never doubted you.
        Here, take this necklace. | You shouldn't have!
        Here's a cake for your birthday. | No way! With honey?
        My name is Pim. | Never heard of you.
        I promise to guard your sheep. | Words are wind.
        I'll never betray you. | I know you won't.
        I owe you 20 gold. | Don't worry about it today.
        My name is Theron. | I don't believe we've met, Theron. Welcome.
        My name is Theron. | I've never seen you around here before.
        I'll bring you the herbs tomorrow, I promise. | Take your time.
        I owe you 50 gold. | Don't tell anyone else.
        I'm heading to Eldham tomorrow. | Eldham lies to the north.
        I'm heading to Eldham tomorrow. | Take this road, then, and be careful.
        I'm from Eldham. | I have never been to Eldham.
        Here is a rose for you. | No! You shouldn't have.
        """,
}


def lines_of(text: str) -> list[str]:
    """The sentences of an entry."""
    return [line.strip() for line in text.strip().splitlines()]
