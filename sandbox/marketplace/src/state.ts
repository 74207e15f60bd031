import { formatDatetime } from './datetime.ts';
import type { Campaign, ProofFile, Task } from './model.ts';
import { formatMoney } from './money.ts';
import type { Sandbox } from './sandbox.ts';

function fileState({ filename, content_type, bytes, sha256, broken }: ProofFile) {
  return { filename, content_type, size: bytes.length, sha256, ...(broken ? { broken } : {}) };
}

function moment(at: number | null): string | null {
  return at === null ? null : formatDatetime(at);
}

/** Returns a campaign as the control calls show it. */
export function campaignState({ tasks: _tasks, attachments, ...campaign }: Campaign) {
  return {
    ...campaign,
    status_since: formatDatetime(campaign.status_since),
    created: formatDatetime(campaign.created),
    restarted: moment(campaign.restarted),
    finished: moment(campaign.finished),
    retargeted: moment(campaign.retargeted),
    payment_per_task: formatMoney(campaign.payment_per_task),
    attachments: {
      ...(attachments.file ? { file: fileState(attachments.file) } : {}),
      ...(attachments.csv ? { csv: fileState(attachments.csv) } : {}),
    },
  };
}

function taskState({ earlier: _earlier, ...task }: Task) {
  return {
    ...task,
    files: task.files.map(fileState),
    finished: formatDatetime(task.finished),
    worker_earned: formatMoney(task.worker_earned),
    bonus_worker_earned: formatMoney(task.bonus_worker_earned),
    history: task.history.map((event) => ({ ...event, at: new Date(event.at).toISOString() })),
  };
}

/** Returns the answer of `GET /_sandbox/state`. */
export function stateOf({ world, settings, faults, workers }: Sandbox) {
  return {
    settings,
    faults: faults.list(),
    workersRunning: workers.running,
    accounts: [...world.accounts.values()].map((account) => ({
      ...account,
      excluded_workers: [...account.excluded_workers],
      favorites: [...account.favorites],
      excluded_employers: [...account.excluded_employers],
      included_employers: [...account.included_employers],
    })),
    workers: [...world.workers.values()],
    campaigns: [...world.campaigns.values()].map(campaignState),
    tasks: [...world.tasks.values()].map(taskState),
    messages: [...world.messages.values()].map((message) => ({
      ...message,
      datetime: formatDatetime(message.datetime),
    })),
  };
}
export type SandboxState = ReturnType<typeof stateOf>;
