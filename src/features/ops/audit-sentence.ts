import type { AuditEntry, AuditedAct } from '../../domain/audit.ts';
import { countryName } from '../../domain/evidence/likeness.ts';
import { formatMoney, tryMoney } from '../../domain/money.ts';
import { ChannelId, type Rating } from '../../domain/terms.ts';
import { channelName, code, cut, dateAtStart, inline, link, user } from '../../slack/mrkdwn.ts';

/** What is known by a name of what an entry is about. */
export interface EntryNames {
  readonly campaign?: string | undefined;
  /** The worker's, also of the task. */
  readonly worker?: string | undefined;
  /** Link to the task's card. */
  readonly card?: string | undefined;
  /** The message's subject. */
  readonly message?: string | undefined;
}

/** An entry for display. */
export interface ShownEntry {
  readonly entry: AuditEntry;
  readonly names?: EntryNames;
  /** What became of a decision. */
  readonly end?: AuditEntry | undefined;
}

/** Returns an entry as a sentence in mrkdwn: the time, who did what, and the outcome. */
export function sentence(shown: ShownEntry): string {
  const { entry } = shown;
  const { at, favorite } = entry;
  const facts = [
    ...aboutWhat(shown),
    ...change(entry),
    ...(entry.comment ? [`“${inline(entry.comment, 200)}”`] : []),
    ...(favorite === undefined ? [] : [favorite === 'add' ? 'favorite added' : 'favorite removed']),
    ...moneyText(entry),
    ...outcomeText(shown),
  ];
  return `${dateAtStart(at)}: ${whatHappened(shown)}${facts.length === 0 ? '' : `\n${facts.join(' · ')}`}`;
}

function whatHappened({ entry }: ShownEntry): string {
  const { what, how, by, member, verdict, stage } = entry;
  const theirs = by === undefined || verdict === undefined ? undefined : `*${user(by)}*’s ${verdict}`;
  switch (what) {
    case 'applied':
      return `The marketplace accepted ${theirs ?? 'a rating'}`;
    case 'refused':
      return `The marketplace rejected ${theirs ?? 'a rating'}`;
    case 'overtaken':
      return `${theirs ?? 'A rating'} was too late${ofRating(entry)}`;
    case 'came back':
      return 'The worker resubmitted the task';
    case 'rated elsewhere':
      return 'Somebody outside of Slack rated the task';
    case 'undone':
      if (by !== undefined && by === member) return `*${user(by)}* undid their own ${verdict ?? 'rating'}`;
      return `*${actor(entry)}* undid ${member === undefined ? 'a rating' : `${user(member)}’s ${verdict ?? 'rating'}`}`;
    default: {
      const attempt = attemptWords[what];
      const isOpen = stage !== undefined && stage !== 'done';
      const words = attempt !== undefined && isOpen ? `tried to ${attempt}` : actWords[what];
      const given = verdict === undefined ? '' : ` *${verdict}*`;
      const request = member !== undefined && how === 'approval' ? ` at ${user(member)}’s request` : '';
      return `*${actor(entry)}* ${words}${request === '' ? concerned(entry) : ''}${given}${request}`;
    }
  }
}

function ofRating({ rating }: AuditEntry): string {
  if (rating === undefined) return '';
  return `: somebody else had rated the task ${ratingWords[rating]}`;
}

function actor({ by, how }: AuditEntry): string {
  if (by !== undefined) return user(by);
  if (how === 'elsewhere') return 'Somebody outside of Slack';
  if (how === 'setting') return 'Proofdesk’s configuration';
  return how === 'job' ? 'Proofdesk' : 'An operator';
}

/** Acts whose words end before whom they concern, with the preposition between: a role *for* Ben. */
const prepositions: Readonly<Partial<Record<AuditEntry['what'], string>>> = {
  'give role': 'for',
  'withdraw role': 'from',
  assign: 'to',
  'decline role': 'by',
  'end request': 'by',
  approve: 'by',
  decline: 'by',
};

function concerned({ what, member, channel }: AuditEntry): string {
  const isOfRole = what === 'give role' || what === 'withdraw role';
  const whom =
    member !== undefined
      ? user(member)
      : isOfRole && channel !== undefined
        ? `everyone in ${channelName(channel)}`
        : undefined;
  return whom === undefined ? '' : ` ${prepositions[what] ?? 'of'} ${whom}`;
}

function aboutWhat({ entry, names = {} }: ShownEntry): string[] {
  const { what, task, campaign, worker, message, channel, round } = entry;
  const named = (word: string, id: string, name: string | undefined) =>
    name ? `${word} ${inline(name, 80)}` : `${word} ${code(id)}`;
  const isOfRole = what === 'give role' || what === 'withdraw role';
  return [
    ...(task
      ? [`${taskName(task, names)}${round !== undefined && round > 1 ? `, round ${round}` : ''}`]
      : []),
    ...(campaign ? [names.campaign ? `*${inline(names.campaign, 80)}*` : `campaign ${code(campaign)}`] : []),
    ...(worker && !task ? [named('worker', worker, names.worker)] : []),
    ...(message ? [names.message ? `“${inline(names.message, 80)}”` : `message ${code(message)}`] : []),
    ...(channel && !isOfRole ? [channelName(channel)] : []),
  ];
}

function taskName(task: string, { worker, card }: EntryNames): string {
  if (card !== undefined) return link(card, worker ? `task of ${cut(worker, 80)}` : 'task');
  return worker ? `task of ${inline(worker, 80)}` : `task ${code(task)}`;
}

function change({ what, before, after, rating, verdict }: AuditEntry): string[] {
  switch (what) {
    case 'overtaken':
    case 'connect':
      return [];
    case 'subscribe':
    case 'choose inbox channel':
      return before ? [`previously in ${channelName(ChannelId.parse(before))}`] : [];
    default:
      break;
  }
  const [was, is] = [before, after].map((text) => text && inline(inWords(what, text), 200));
  if (was && is) return [`${was} → ${is}`];
  // That a task was not rated before it was goes without saying.
  if (rating !== undefined && rating !== verdict && (was || what === 'rated elsewhere'))
    return [was && before !== 'NOTRATED' ? `${was} → ${ratingWords[rating]}` : `now ${ratingWords[rating]}`];
  return rating === undefined ? [was ?? is ?? ''].filter((text) => text !== '') : is ? [is] : [];
}

/** Returns a value of an entry in words, where it is stored as a code. */
function inWords(what: AuditedAct, value: string): string {
  if (isRating(value)) return ratingWords[value];
  switch (what) {
    case 'channel lost':
      return value.replaceAll('_', ' ');
    case 'retry job':
    case 'discard job':
      // Without the name of the job, which means nothing to people.
      return value.replace(/^[a-z-]+: /, '');
    case 'retarget':
      return value
        .replace(/\b[A-Z]{2}\b/g, (country) => countryName(country))
        .replace(/(?<!^)(?<!,) (?=except )/g, ', ');
    default:
      return value;
  }
}

function isRating(value: string): value is Rating {
  return Object.hasOwn(ratingWords, value);
}

function moneyText({ task, money }: AuditEntry): string[] {
  const amount = money === undefined ? undefined : tryMoney(money);
  if (amount === undefined) return [];
  return [`${task === undefined ? 'total' : 'bonus'} ${formatMoney(amount)}`];
}

function outcomeText({ entry: { stage, answer }, end }: ShownEntry): string[] {
  if (end !== undefined) return endText(end);
  if (stage === 'claimed') return ['no outcome yet'];
  if (stage === 'unknown') return ['outcome unknown: the marketplace gave no clear answer'];
  const said =
    answer === undefined || answer === 'OK' ? '' : inline(answer.replace(/^[A-Z][A-Z_]+: /, ''), 200);
  if (stage === 'failed') return [`*not done*${said === '' ? '' : `: ${said}`}`];
  return said === '' ? [] : [said];
}

function endText({ what, answer, rating }: AuditEntry): string[] {
  if (what === 'applied') return ['accepted by the marketplace'];
  if (what === 'refused') return [`*rejected by the marketplace*${answer ? `: ${inline(answer, 200)}` : ''}`];
  if (what === 'overtaken')
    return [`not sent: already rated ${rating ? ratingWords[rating] : ''} by somebody else`];
  return [];
}

/** Acts in words that follow a person's name, *Ann* restarted the campaign, or for the marketplace's answers stand alone. */
export const actWords: Readonly<Record<AuditedAct, string>> = {
  decided: 'rated a task',
  undone: 'undid a rating',
  applied: 'rating accepted by the marketplace',
  refused: 'rating rejected by the marketplace',
  overtaken: 'was too late: the task already had another rating',
  'rate in bulk': 'rated selected tasks',
  'undo bulk': 'undid the ratings of selected tasks',
  'came back': 'got the task back, resubmitted by the worker',
  'rated elsewhere': 'rated the task outside of Slack',
  take: 'took the task',
  assign: 'assigned the task',
  release: 'unassigned the task',
  restart: 'restarted the campaign',
  retarget: 'changed the countries',
  create: 'created a campaign',
  submit: 'submitted a proof for a worker',
  'exclude worker': 'excluded a worker',
  'include worker': 'took a worker off the exclude list',
  'clear exclude list': 'cleared the exclude list',
  'exclude employers': 'excluded employers',
  'read message': 'marked a message as read',
  'trash message': 'moved a message to the trash',
  subscribe: 'subscribed a channel',
  unsubscribe: 'ended a subscription',
  'channel lost': 'lost access to a channel',
  'channel back': 'can post in a channel again',
  connect: 'connected an API key',
  'replace key': 'replaced an API key',
  disconnect: 'removed an API key',
  'give role': 'added a role',
  'withdraw role': 'removed a role',
  'ask for role': 'asked for a role',
  'decline role': 'declined the request for a role',
  'confirm shared channel': 'confirmed a channel shared with another company',
  'withdraw shared channel': 'stopped using a channel shared with another company',
  'ask approval': 'asked for approval',
  approve: 'approved a request',
  decline: 'declined a request',
  'end request': 'ended a request',
  'set limits': 'set the spending limits',
  'set time to rate': 'set the rating deadline',
  'set channel': 'changed the settings of a channel',
  'choose inbox channel': 'chose where inbox messages go',
  'add reason': 'added a saved reason',
  'change reason': 'changed a saved reason',
  'remove reason': 'removed a saved reason',
  'leave note': 'left a note for colleagues',
  'change note': 'changed a note',
  'remove note': 'removed a note',
  'retry job': 'tried a failed action again',
  'discard job': 'discarded a failed action',
  'remove details': 'removed expired details',
};

/** Acts at the marketplace that were begun, and may not be done: Ann *tried to* restart the campaign. */
const attemptWords: Readonly<Partial<Record<AuditedAct, string>>> = {
  restart: 'restart the campaign',
  retarget: 'change the countries',
  create: 'create a campaign',
  submit: 'submit a proof for a worker',
  'exclude worker': 'exclude a worker',
  'include worker': 'take a worker off the exclude list',
  'clear exclude list': 'clear the exclude list',
  'exclude employers': 'exclude employers',
  'read message': 'mark a message as read',
  'trash message': 'move a message to the trash',
};

const ratingWords: Readonly<Record<Rating, string>> = {
  NOTREVIEWED: 'at the marketplace',
  NOTRATED: 'not rated',
  OK: 'OK',
  NOK: 'NOK',
  REVISE: 'REVISE',
};
