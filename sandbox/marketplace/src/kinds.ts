import type { Random } from './random.ts';

/** A kind of micro-task: what its campaigns say and what its workers write. */
export interface Kind {
  readonly category: string;
  readonly title: string;
  readonly required_work: string;
  readonly required_proof: readonly string[];
  readonly payment: string;
  /** The text of each proof slot, assembled from parts. */
  readonly proof: readonly (readonly string[])[];
  /** The text that a worker adds to the first slot after REVISE. */
  readonly improvement: string;
  readonly reasons: { readonly NOK: string; readonly REVISE: string };
  readonly file: 'chart' | 'shelf' | 'receipt' | 'report' | 'none';
}

export const kinds = {
  survey: {
    category: '0101',
    title: 'Two-minute survey about your way to work',
    required_work:
      'Open the survey, answer all nine questions about how you travel to work or school, and copy the code from the last page.',
    required_proof: ['The code from the last page', 'In one sentence: what would make your way shorter?'],
    payment: '0.12',
    proof: [
      ['WAY-{nn}{nn}-KL', 'WAY-{nn}{nn}-TT', 'code is WAY-{nn}{nn}-QA', 'way-{nn}{nn}-zb'],
      [
        'A bus that comes when the timetable says it comes.',
        'Working from home two days a week.\nAnd a bicycle lane on the bridge.',
        'Nothing, I walk four minutes.',
        'Fewer changes: I take matatu, then train, then matatu again.',
        'if the "express" train would really be an express…',
      ],
    ],
    improvement:
      'I had copied the code of the first page by mistake. The code on the last page is WAY-5518-RV.',
    reasons: {
      NOK: 'The code does not belong to our survey.',
      REVISE: 'Please send the code from the last page of the survey, not from the first.',
    },
    file: 'none',
  },
  appTest: {
    category: '0201',
    title: 'Test our budget app on Android and tell us what broke',
    required_work:
      'Install the app from the link, add three expenses and one income, open the monthly chart, and write down whatever did not work. A screenshot of the chart is required.',
    required_proof: ['Your phone and Android version', 'What you tried, step by step', 'What did not work'],
    payment: '0.45',
    proof: [
      [
        'Samsung A54, Android 14, patch of {nn} days ago',
        'Redmi Note 12 / Android 13 / battery at {nn} %',
        'Pixel 7a, Android 15 ({nn} GB free)',
        'Tecno Spark 10, Android 12',
      ],
      [
        '1. Opened the app\n2. Added coffee 2.{nn}, bus 1.{nn}, rent 3{nn}\n3. Added salary 900\n4. Opened "Month"',
        'Added 3 expenses (food, phone, school) and 1 income. Chart opened after about {d} seconds, total {nn}.{nn}.',
        'install -> register -> skipped the tour -> 3 expenses ({nn}, {nn}, {nn}), 1 income -> chart',
      ],
      [
        'The chart shows rent twice. After a restart of the app it was correct.',
        'Back button closes the app instead of going back to the list.',
        'Everything worked. Letters in the legend are very small on my phone.',
        'When I type a comma (2,50) it is saved as 250.',
      ],
    ],
    improvement:
      'Tried again from the start and wrote every step down: opened the app, added food 4.20, bus 1.20, phone 9.99, then the income of 850, opened the month, turned the phone sideways. The chart disappears when the phone is turned.',
    reasons: {
      NOK: 'This is a screenshot of another app.',
      REVISE: 'Thank you. Please describe the steps one by one, so that we can repeat what you saw.',
    },
    file: 'chart',
  },
  shelf: {
    category: '0401',
    title: 'Photograph the tea shelf in a supermarket near you',
    required_work:
      'Take one sharp photo of the whole tea shelf from about two metres, with price labels readable. No people in the picture, please.',
    required_proof: ['Name of the shop and the street'],
    payment: '0.60',
    proof: [
      [
        'Naivas, Moi Avenue {nn}, {city}',
        'Carrefour Market, Rue de Rivoli {nn}',
        'Big Bazaar, MG Road {nn} – second aisle on the left',
        'SM Supermarket, {city} (north wing), {nn} packets counted',
        'Lidl, Hauptstraße {nn}',
        'كارفور، شارع التحرير {nn}',
        '永辉超市，中山路 2{nn} 号',
      ],
    ],
    improvement: 'New photo from further away, now the whole shelf and the price labels are in the picture.',
    reasons: {
      NOK: 'The picture was found on the internet: it shows a shop in another country.',
      REVISE: 'The price labels cannot be read. Please take the photo from closer, without flash.',
    },
    file: 'shelf',
  },
  receipt: {
    category: '0301',
    title: 'Transcribe a grocery receipt',
    required_work:
      'Type every line of the receipt in the picture exactly as printed: name, amount, price. One line each, the total last.',
    required_proof: ['All lines of the receipt'],
    payment: '0.16',
    proof: [
      [
        'Bread 2.{nn}\nMilk 1 l 1.{nn}\nApples 1 kg 3.{nn}\nTea, black 4.{nn}\nTOTAL 1{d}.{nn}',
        'BREAD;1;2.{nn}\nMILK 1 L;1;1.{nn}\nAPPLES;1 kg;3.{nn}\nTEA, BLACK;1;4.{nn}\nTOTAL;;1{d}.{nn}',
        '"Bread" 2,{nn} / "Milk 1 l" 1,{nn} / "Apples 1 kg" 3,{nn} / "Tea, black" 4,{nn} / total 1{d},{nn}',
      ],
    ],
    improvement: 'Bread 2.40\nMilk 1 l 1.15\nApples 1 kg 3.20\nTea, black 4.95\nTOTAL 11.70\nCard 11.70',
    reasons: {
      NOK: 'These are the lines of another receipt.',
      REVISE: 'The last line is missing: how it was paid.',
    },
    file: 'receipt',
  },
  translate: {
    category: '0302',
    title: 'Translate three short phrases from English',
    required_work:
      'Translate into your own language: "Your order is on its way", "Tap to try again", "See you next week". Write as you would speak, no machine translation.',
    required_proof: ['The three phrases', 'Your language'],
    payment: '0.18',
    proof: [
      [
        'طلبك في الطريق\nاضغط للمحاولة مرة أخرى\nنراك الأسبوع القادم',
        '您的订单正在路上\n点击重试\n下周见 👋',
        'Tu pedido está en camino\nToca para volver a intentarlo\n¡Nos vemos la próxima semana!',
        'Ihre Bestellung ist unterwegs\nZum Wiederholen tippen\nBis nächste Woche',
        'आपका ऑर्डर रास्ते में है\nफिर से कोशिश करने के लिए टैप करें\nअगले हफ़्ते मिलते हैं',
        'Oda yako iko njiani\nGusa kujaribu tena\nTuonane wiki ijayo',
      ],
      [
        'My mother tongue, I live in {city}',
        'native speaker ({city})',
        'I have spoken it at home for {nn} years',
        '👍 native, from {city}',
      ],
    ],
    improvement: 'I rewrote the second phrase so that it sounds like something a person says.',
    reasons: {
      NOK: 'This is a machine translation: the same three mistakes as in the best known one.',
      REVISE: 'The second phrase is too formal for a button. Please try again, at most three words.',
    },
    file: 'none',
  },
  signUp: {
    category: '0203',
    title: 'Sign up for the walking club newsletter and leave a comment',
    required_work:
      'Sign up with your e-mail address, confirm it, and leave one friendly comment under any walk.',
    required_proof: ['The name you commented under', 'The text of your comment'],
    payment: '0.14',
    proof: [
      ['walker_ann{nn}', 'Kofi A. {nn}', 'hill-and-dale-{nn}', 'María José {nn}'],
      [
        'We walked this with our dog last Sunday, the view from the mill is worth every step.',
        'Nice walk!!! good for family',
        'Is the path open in winter? The map says "closed from November".',
      ],
    ],
    improvement: 'I confirmed the address now, the comment is visible under "Mill and meadows".',
    reasons: {
      NOK: 'No comment with this name exists.',
      REVISE: 'The address is not confirmed yet, so the comment is hidden. Please confirm it.',
    },
    file: 'none',
  },
  search: {
    category: '0204',
    title: 'Rate the first five search results for "bakery near me"',
    required_work:
      'Search for the phrase, look at the first five results, give each 1 to 5 points for how well it fits.',
    required_proof: ['Points for results 1 to 5, separated by commas'],
    payment: '0.06',
    proof: [
      [
        '5, {d}, {d}, {d}, 1 ({city})',
        '{d},{d},{d},{d},{d}',
        '5 / {d} / {d} / {d} / 1 (the last is a car wash in {city})',
      ],
    ],
    improvement: 'Opened each result this time: 5, 4, 2, 2, 1.',
    reasons: {
      NOK: 'All five have the same points in all your tasks.',
      REVISE: 'Please give five numbers, not four.',
    },
    file: 'chart',
  },
  visit: {
    category: '0402',
    title: 'Visit a shop and report on the tea shelf',
    required_work:
      'Go to the shop on your list, check the six packets in the plan, and send the filled-in report as PDF.',
    required_proof: ['Which packets were missing', 'Day and hour of your visit'],
    payment: '1.20',
    proof: [
      [
        'None missing, one price label was.',
        'Green tea 20 bags',
        'mint and rooibos (the staff said "on Thursday")',
      ],
      ['Tuesday 10:{nn}', 'Sat, 9 am, {city}', 'Wednesday, half past four, {city}'],
    ],
    improvement: 'Went back on Friday at 11:15, all six packets were there and every label too.',
    reasons: { NOK: 'The report is empty.', REVISE: 'Please add the hour of your visit.' },
    file: 'report',
  },
} as const satisfies Record<string, Kind>;

/** Returns the kind of work for a category. */
export function kindOf(category: string): Kind {
  const all: readonly Kind[] = Object.values(kinds);
  return all.find((kind) => kind.category === category) ?? kinds.survey;
}

const cities =
  'Nairobi Kisumu Mombasa Lagos Accra Casablanca Cairo Lahore Dhaka Pune Chennai Colombo Cebu Davao Medan Hanoi Łódź Cluj Niš Lyon Granada Porto'.split(
    ' ',
  );

/** Returns a made-up proof, one text per slot; `{nn}`, `{d}` and `{city}` in the parts are filled in. */
export function writeProof(kind: Kind, random: Random): string[] {
  return kind.proof.map((parts) =>
    random
      .pick(parts)
      .replace(/\{nn\}/g, () => String(random.between(10, 98)))
      .replace(/\{d\}/g, () => String(random.between(1, 5)))
      .replace(/\{city\}/g, () => random.pick(cities)),
  );
}

/** Returns the proof after a REVISE: the first slot improved, quoting the comment. */
export function improvedProof(kind: Kind, proof: readonly string[], comment: string): string[] {
  const asked = comment.trim() === '' ? '' : `\n(You wrote: "${comment.trim()}")`;
  return [`${kind.improvement}${asked}`, ...proof.slice(1)];
}

/** Proofs that try to break the program that renders them. */
export const hostileProofs: readonly (readonly string[])[] = [
  [
    '<!channel> *bold* _italic_ `code` ```block``` &lt;b&gt; <@U123> "quoted"',
    '<https://evil.example/login|click to get paid twice>\n\nA second paragraph, then 👩‍👩‍👧 and ‮reversed‬ text.',
  ],
  ['=HYPERLINK("https://evil.example","4471")', '<b>not bold</b> &amp;amp; <#C01|general> ~gone~'],
  ['Line one\n\n\nLine five, "quoted", with, commas\r\nand a Windows line end\ttab', '​zero width and é'],
];
