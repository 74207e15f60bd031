/** Maps parsed answers to the client's types: the schemas parse the wire format, the mappers rename it. */
import type * as z from 'zod';
import { createdFieldNames } from './api-assumptions.ts';
import type { Datetimes } from './datetimes.ts';
import type * as schemas from './schemas.ts';
import type {
  CampaignEntry,
  CampaignSummary,
  ListChange,
  ListedUser,
  Message,
  MessageSummary,
  Pager,
  ProofFile,
  TaskInfo,
  WorkerTask,
} from './types.ts';

type Wire<Name extends keyof typeof schemas> = z.output<(typeof schemas)[Name]>;

export function toCampaignSummary(wire: Wire<'campaignSummary'>, datetimes: Datetimes): CampaignSummary {
  const created = createdFieldNames.map((name) => wire[name]).find((value) => value !== '');
  return {
    id: wire.campaign_id,
    status: wire.campaign_status,
    title: wire.title,
    requiredWork: wire.required_work,
    requiredProof: wire.required_proof,
    availablePositions: wire.available_positions,
    createdAt: datetimes.parse(created ?? ''),
    excludedCountries: wire.excluded_countries,
    targetedCountries: wire.targeted_countries,
    paymentPerTask: wire.payment_per_task,
    speed: wire.speed,
    qtRequired: wire.qt_required,
    tasksOk: wire.tasks_ok,
    tasksNok: wire.tasks_nok,
    tasksNotRated: wire.tasks_not_rated,
    tasksNotReviewed: wire.tasks_not_reviewed,
  };
}

export function toCampaignEntry([id, title, status]: Wire<'campaignTuple'>): CampaignEntry {
  return { id, title, status };
}

/** Other names of the types of pictures. */
const usualTypes: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/x-png': 'image/png',
};

/** Returns a media type in lower case, by its usual name, without parameters. */
function mediaType(contentType: string): string {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  return usualTypes[type] ?? type;
}

export function toTaskInfo(
  wire: Wire<'taskInfo'>,
  files: readonly ProofFile[],
  datetimes: Datetimes,
): TaskInfo {
  const details = wire.task_details;
  return {
    taskId: wire.task_id,
    campaignId: details.campaign_id,
    workerId: details.worker_id,
    country: details.country,
    ip: details.ip,
    csvRecordNr: details.csv_record_nr,
    finishedAt: datetimes.parse(details.finished_datetime),
    proof: details.proof,
    files,
    fileProofStatus: details.file_proof?.status.trim() ?? '',
    rating: details.task_rating,
    employerComment: details.employer_comment,
    workerEarned: details.worker_earned,
    bonusWorkerEarned: details.bonus_worker_earned,
  };
}

export function toProofFile(wire: Wire<'proofFile'>): ProofFile {
  return {
    index: wire.index,
    filename: wire.filename,
    contentType: mediaType(wire.content_type),
    size: wire.size,
  };
}

export function toMessageSummary(wire: Wire<'messageSummary'>, datetimes: Datetimes): MessageSummary {
  return { ...messageHead(wire, datetimes), unread: wire.unread };
}

export function toMessage(wire: Wire<'message'>, datetimes: Datetimes): Message {
  return { ...messageHead(wire, datetimes), body: wire.message };
}

function messageHead(wire: Omit<Wire<'messageSummary'>, 'unread'>, datetimes: Datetimes) {
  return {
    id: wire.message_id,
    type: wire.message_type,
    sentAt: datetimes.parse(wire.datetime),
    folder: wire.folder,
    subject: wire.subject,
    hasAttachment: wire.has_attachment,
  };
}

export function toListedUser(wire: Wire<'listedUser'>): ListedUser {
  return { userId: wire['User ID'], username: wire.Username, country: wire.Country };
}

/** Maps `12 workers have been added` to 12. */
export function toListChange({ message }: Wire<'listChange'>): ListChange {
  const number = /\d+/u.exec(message)?.[0];
  return { message, count: number === undefined ? undefined : Number(number) };
}

export function toWorkerTask(wire: Wire<'workerTask'>, datetimes: Datetimes): WorkerTask {
  return {
    taskId: wire.id,
    campaignId: wire.campaign_id,
    campaignTitle: wire.campaign_title,
    workerId: wire.worker_id,
    csvRecordNr: wire.csv_record_nr,
    ip: wire.ip,
    finishedAt: datetimes.parse(wire.finished_datetime),
    proof: wire.proof,
    hasFile: wire.has_file,
    rating: wire.task_rating,
    employerComment: wire.employer_comment,
    workerEarned: wire.worker_earned,
    bonusWorkerEarned: wire.bonus_worker_earned,
  };
}

export function toPager({ pager }: Wire<'workerTaskList'>): Pager {
  return {
    currentPage: pager.current_page,
    entriesOnThisPage: pager.entries_on_this_page,
    entriesPerPage: pager.entries_per_page,
    first: pager.first,
    last: pager.last,
    firstPage: pager.first_page,
    lastPage: pager.last_page,
    nextPage: pager.next_page,
    previousPage: pager.previous_page,
    totalEntries: pager.total_entries,
  };
}
