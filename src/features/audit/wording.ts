import type { ActedBy, AuditedAct } from '../../domain/audit.ts';

/** What somebody did, as it stands behind their name: *Ann* restarted the campaign. */
export const actWords: Readonly<Record<AuditedAct, string>> = {
  decided: 'decided',
  undone: 'undid a decision',
  applied: 'had a decision become a rating',
  refused: 'had a decision refused',
  overtaken: 'had a decision overtaken by a rating made elsewhere',
  'came back': 'brought the task back for a rating',
  'rated elsewhere': 'rated the task outside of Slack',
  'rating found': 'found a rating after a loss; who rated is not known',
  recovered: 'had a decision read back after a loss',
  restart: 'restarted the campaign',
  retarget: 'changed the countries',
  create: 'created a campaign',
  submit: 'submitted a proof for a worker',
  'exclude worker': 'excluded a worker',
  'include worker': 'took a worker off the exclude list',
  'clear exclude list': 'cleared the exclude list',
  'exclude employers': 'excluded employers',
  'read message': 'read a message',
  'trash message': 'moved a message to the trash',
  'plan retarget': 'planned a change of countries',
  'cancel retarget': 'canceled a planned change of countries',
  subscribe: 'subscribed a channel',
  unsubscribe: 'ended a subscription',
  'channel lost': 'found that a channel is lost; its messages move or wait',
  'channel back': 'found that a channel works again',
  connect: 'connected an API key',
  'replace key': 'replaced an API key',
  disconnect: 'removed an API key',
  'give role': 'gave a role',
  'withdraw role': 'withdrew the role',
  'take over reviewers': 'made reviewers of everybody who had reviewed before there were roles',
  'ask for role': 'asked for a role',
  'decline role': 'declined the request for a role',
  'allow guests': 'allowed guests',
  'refuse guests': 'refused guests',
  'confirm shared channel': 'confirmed a channel that is shared with another company',
  'withdraw shared channel': 'withdrew a channel that is shared with another company',
  'ask approval': 'asked for an approval',
  approve: 'approved a request',
  decline: 'declined a request',
  'end request': 'ended a request',
  'set limits': 'set the spending limits',
  'set time to rate': 'said how many days tasks may wait',
  mute: 'muted something in a channel',
  unmute: 'turned something in a channel on again',
  'set channel': 'changed the settings of a channel',
  'add reason': 'added a saved reason',
  'change reason': 'changed a saved reason',
  'remove reason': 'removed a saved reason',
  'retry job': 'tried a failed action again',
  'discard job': 'discarded a failed action',
  'recover data': 'read lost data back',
  'remove details': 'removed details that need not be stored any more',
};

/** How the member whom an act concerns is joined to its words: a decision *of* Ann, a role *to* Ann. */
export function memberWord(what: AuditedAct): string {
  return what === 'give role' ? 'to' : 'of';
}

/** How it came about, as it stands at the end of a line. */
export const howWords: Readonly<Record<ActedBy, string>> = {
  click: 'by a click',
  command: 'by a command',
  form: 'in a form',
  approval: 'by an approval',
  job: 'carried out by the bot',
  setting: 'by a setting of the bot',
  elsewhere: 'outside of Slack',
};
