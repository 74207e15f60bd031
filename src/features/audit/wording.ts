import type { ActedBy, AuditedAct } from '../../domain/audit.ts';
import type { ChannelKind } from '../../domain/channel-settings.ts';
import type { Rating } from '../../domain/terms.ts';

/** Acts in words that follow a person's name: *Ann* restarted the campaign. */
export const actWords: Readonly<Record<AuditedAct, string>> = {
  decided: 'decided on a task',
  undone: 'undid a decision',
  applied: 'had a decision accepted by the marketplace',
  refused: 'had a decision rejected by the marketplace',
  overtaken: 'had a decision overtaken by another rating',
  'rate in bulk': 'confirmed a bulk rating',
  'undo bulk': 'undid a bulk rating',
  'retry bulk': 'retried the failed part of a bulk rating',
  'came back': 'brought the task back for a rating',
  'rated elsewhere': 'rated the task outside of Slack',
  take: 'took the task',
  assign: 'assigned the task',
  release: 'released the task',
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
  'channel lost': 'found that a channel is lost; its messages move or wait',
  'channel back': 'found that a channel works again',
  connect: 'connected an API key',
  'replace key': 'replaced an API key',
  disconnect: 'removed an API key',
  'give role': 'gave a role',
  'withdraw role': 'withdrew the role',
  'ask for role': 'asked for a role',
  'decline role': 'declined the request for a role',
  'allow guests': 'allowed guests',
  'refuse guests': 'refused guests',
  'confirm shared channel': 'confirmed a channel that is shared with another company',
  'withdraw shared channel': 'withdrew a channel that is shared with another company',
  'ask approval': 'asked for approval',
  approve: 'approved a request',
  decline: 'declined a request',
  'end request': 'ended a request',
  'set limits': 'set the spending limits',
  'set time to rate': 'said how many days tasks may wait',
  mute: 'muted something in a channel',
  unmute: 'turned something in a channel on again',
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
  'remove details': 'removed details that need not be stored any more',
};

/** Acts at the marketplace that were begun, and may not be done: Ann *tried to* restart the campaign. */
export const attemptWords: Readonly<Partial<Record<AuditedAct, string>>> = {
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

export const ratingWords: Readonly<Record<Rating, string>> = {
  NOTREVIEWED: 'at the marketplace',
  NOTRATED: 'not rated',
  OK: 'OK',
  NOK: 'NOK',
  REVISE: 'REVISE',
};

/** What was muted in a channel. */
export const kindWords: Readonly<Record<ChannelKind, string>> = {
  digest: 'the count of waiting tasks',
  daily: 'the daily summary',
  inbox: 'inbox messages',
  campaigns: 'news of campaigns',
  reminders: 'reminders of due tasks',
};

/** Why a channel was lost, by Slack's code. */
export const lossWords: Readonly<Record<string, string>> = {
  is_archived: 'it is archived',
  channel_deleted: 'it was deleted',
  channel_not_found: 'it was deleted, or is private',
};

/** How an act was made, as the end of a line. */
export const howWords: Readonly<Record<ActedBy, string>> = {
  click: 'by a click',
  command: 'by a command',
  form: 'in a form',
  reply: 'by a reply in a thread',
  approval: 'by an approval',
  job: 'carried out by Proofdesk',
  setting: 'by a setting of Proofdesk',
  elsewhere: 'outside of Slack',
};
