import { Refusal, refuseInput, success } from './answers.ts';
import { markAsRead } from './assumptions.ts';
import { formatDatetime } from './datetime.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { createChecks, within } from './endpoint.ts';
import type { Message } from './model.ts';

function ownMessage(call: Call): Message {
  const message = call.world.messages.get(call.id);
  if (message?.owner !== call.account.id) throw new Refusal('NO SUCH MESSAGE', { message_id: call.id });
  return message;
}

/** Returns the fields of "Message" that list and read share. */
function head(message: Message): Record<string, unknown> {
  return {
    message_id: message.message_id,
    message_type: message.message_type,
    datetime: formatDatetime(message.datetime),
    folder: message.folder,
    subject: message.subject,
    has_attachment: message.has_attachment ? '1' : '0',
  };
}

/** Section 5. */
const list: Endpoint = {
  method: 'GET',
  path: '/messages/list',
  handle(call) {
    const checks = createChecks(call.query);
    const folder = checks.choice('folder', ['INBOX', 'SENT', 'TRASH'], 'Folder');
    const unread = checks.choice('unread', ['yes', 'no'], 'Unread');
    const from = checks.datetime('date_from', 'Date From');
    const to = checks.datetime('date_to', 'Date To');
    refuseInput(checks.errors);
    const found = [...call.world.messages.values()]
      .filter(
        (message) =>
          message.owner === call.account.id &&
          (folder === undefined || message.folder === folder) &&
          (unread === undefined || message.unread === (unread === 'yes')) &&
          within(message.datetime, from, to),
      )
      .sort((one, other) => other.datetime - one.datetime);
    if (found.length === 0) throw new Refusal('NO MESSAGES');
    return success({
      count: String(found.length),
      messages: found.map((message) => ({ ...head(message), unread: message.unread })),
    });
  },
};

/** Section 6. */
const read: Endpoint = {
  method: 'GET',
  path: '/message/read/:id',
  handle(call) {
    const message = ownMessage(call);
    markAsRead(message);
    return success({ ...head(message), message: message.message });
  },
};

/** Section 16. Messages in the trash cannot be moved there again. */
const remove: Endpoint = {
  method: 'PUT',
  path: '/message/delete/:id',
  handle(call) {
    const message = ownMessage(call);
    if (message.folder === 'TRASH') throw new Refusal('UNABLE TO DELETE MESSAGE', { message_id: call.id });
    message.folder = 'TRASH';
    return success({ message_id: message.message_id });
  },
};

export const messageEndpoints: readonly Endpoint[] = [list, read, remove];
