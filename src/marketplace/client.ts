import { createHash } from 'node:crypto';
import { wireMoney } from '../domain/money.ts';
import {
  decodeTargeting,
  defaultExcludeMark,
  defaultKeyHeader,
  defaultTimeZone,
  emptyListCodes,
  encodeTargeting,
  isAcceptedByRateTask,
  maxConcurrentRequests,
  maxRequestsPerSecond,
} from './api-assumptions.ts';
import { createDatetimes } from './datetimes.ts';
import { filenameOf, fileOrText } from './downloads.ts';
import { endpoints } from './endpoints.ts';
import { MarketplaceError } from './errors.ts';
import { decodeText, type HttpResponse, hasUndecoded, readWhole } from './http.ts';
import type { ListOptions, MarketplaceClient, MarketplaceClientOptions, Skipped } from './interface.ts';
import { createListReader } from './list-reader.ts';
import * as mappers from './mappers.ts';
import { createPipeline } from './pipeline.ts';
import { decodeRatings, encodeRatings } from './ratings.ts';
import { createResultsAnswer } from './results-answer.ts';
import * as schemas from './schemas.ts';
import type { NewCampaign, ParentCategory, ResultRow, ResultsTaker } from './types.ts';

const defaultDeadlineMs = 15_000;

/**
 * Creates a client for one account of the marketplace. It keeps its connections open until it is closed, and limits its
 * concurrent requests and requests per second.
 *
 * Throws TypeError when `baseUrl` is not an address and RangeError when there is no such time zone. A wrong key is reported
 * by the first call, as a MarketplaceError whose `isAuthentication` is true.
 */
export function createMarketplaceClient(options: MarketplaceClientOptions): MarketplaceClient {
  const datetimes = createDatetimes(options.timeZone ?? defaultTimeZone);
  const mark = options.excludeMark ?? defaultExcludeMark;
  const lists = createListReader(options.onSkipped);
  const pipeline = createPipeline({
    baseUrl: options.baseUrl,
    dispatcher: options.dispatcher,
    apiKey: options.apiKey,
    keyHeader: options.keyHeader ?? defaultKeyHeader,
    concurrency: options.concurrency ?? maxConcurrentRequests,
    requestsPerSecond: options.requestsPerSecond ?? maxRequestsPerSecond,
    deadlineMs: options.deadlineMs ?? defaultDeadlineMs,
    datetimes,
    onRequest: options.onRequest,
  });
  const datetime = (date: Date | undefined) => date && datetimes.format(date);

  return {
    async createCampaign(input, call) {
      const fields = toCampaignFields(input);
      const made = await pipeline.call(endpoints.createCampaign, { params: {}, fields, options: call });
      return {
        campaignId: made.campaign_id,
        ...(made.cost ? { cost: made.cost } : {}),
        ...(made.speed_previous ? { speedPrevious: made.speed_previous } : {}),
        ...(made.speed_new ? { speedNew: made.speed_new } : {}),
      };
    },

    async listCategories(call) {
      const list = pipeline.call(endpoints.listCategories, { params: {}, options: call });
      const { parent_categories: parents } = await orEmpty(list, { parent_categories: [] });
      return lists.parse(
        'listCategories',
        schemas.parentCategory,
        parents,
        ({ title, categories }, within) => ({
          title,
          categories: within(schemas.category, categories, 'categories').map(
            ({ id, title: name, min_payment_per_task: payments }) => ({
              id,
              title: name,
              minPaymentPerTask: within(schemas.minimumPayment, payments, `category ${id}`).map(
                ({ zone, payment_per_task }) => ({ zone, paymentPerTask: payment_per_task }),
              ),
            }),
          ),
        }),
      ) satisfies ParentCategory[];
    },

    async rateTasks(campaignId, entries, call) {
      const fields = encodeRatings(entries);
      if (entries.length === 0) return [];
      const params = { campaign_id: campaignId };
      const { tasks } = await pipeline.call(endpoints.rateTasks, { params, fields, options: call });
      return decodeRatings(entries, lists.parseKeepingIndexes('rateTasks', schemas.ratedTask, tasks));
    },

    async getTaskInfo(taskId, call) {
      const request = { params: { task_id: taskId }, options: call };
      const task = await pipeline.call(endpoints.getTaskInfo, request);
      const details = task.task_details.file_proof?.file_proof_details ?? [];
      const files = lists.parse('getTaskInfo', schemas.proofFile, details, mappers.toProofFile);
      return mappers.toTaskInfo(task, files, datetimes);
    },

    async listMessages(filter = {}, call) {
      const fields = {
        folder: filter.folder,
        date_from: datetime(filter.from),
        date_to: datetime(filter.to),
        unread: filter.unread === undefined ? undefined : filter.unread ? 'yes' : 'no',
      };
      const decoding = createListText();
      const request = { params: {}, fields, options: call };
      const list = pipeline.call(endpoints.listMessages, request, decoding.receive);
      const { count, messages } = await orEmpty(list, { count: 0, messages: [] });
      const read = lists.parse('listMessages', schemas.messageSummary, messages, (wire) =>
        mappers.toMessageSummary(wire, datetimes),
      );
      return whole(read, messages, count, decoding, call);
    },

    async readMessage(id, call) {
      const request = { params: { message_id: id }, options: call };
      return mappers.toMessage(await pipeline.call(endpoints.readMessage, request), datetimes);
    },

    async listCampaignsExtended(filter = {}, call) {
      const fields = {
        status: filter.status,
        folder: filter.folder,
        created_from: datetime(filter.createdFrom),
        created_to: datetime(filter.createdTo),
        restarted_from: datetime(filter.restartedFrom),
        restarted_to: datetime(filter.restartedTo),
        finished_from: datetime(filter.finishedFrom),
        finished_to: datetime(filter.finishedTo),
      };
      const decoding = createListText(call?.isKnown);
      const request = { params: {}, fields, options: call };
      const list = pipeline.call(endpoints.listCampaignsExtended, request, decoding.receive);
      const { count, campaigns } = await orEmpty(list, { count: 0, campaigns: [] });
      const read = lists.parse('listCampaignsExtended', schemas.campaignSummary, campaigns, (wire) =>
        mappers.toCampaignSummary(wire, datetimes),
      );
      return whole(read, campaigns, count, decoding, call);
    },

    async submitFileProof(campaignId, { workerId, ip, proof, file }, call) {
      const fields = { user_id: workerId, ip, proof, file_proof: file };
      const request = { params: { campaign_id: campaignId }, fields, options: call };
      const submitted = await pipeline.call(endpoints.submitFileProof, request);
      return { campaignId: submitted.campaign_id ?? campaignId, taskId: submitted.task_id };
    },

    async campaignResults(campaignId, call) {
      const request = { params: { campaign_id: campaignId }, options: call };
      let rows: ResultRow[] = [];
      const openResults = () => {
        rows = [];
        const into: ResultsTaker = call?.into?.() ?? { onRows: (some) => void rows.push(...some) };
        const onSkipped = (row: Omit<Skipped, 'endpoint'>) =>
          options.onSkipped?.({ endpoint: 'campaignResults', ...row });
        return createResultsAnswer({ datetimes, campaignId, into, onSkipped });
      };
      let results: ReturnType<typeof openResults> | undefined;
      const receive = (response: HttpResponse) => {
        results = openResults();
        return results.receive(response);
      };
      const { campaign_id: id, csv } = await pipeline.call(endpoints.campaignResults, request, receive);
      const read = await (results ?? openResults()).end(csv);
      const clear = rows.filter(({ taskId }) => !read.doubtful.has(taskId));
      return { campaignId: id ?? campaignId, ...read, rows: clear };
    },

    async rateTask(campaignId, { taskId, rating, comment, bonus, favorite }, call) {
      if (!isAcceptedByRateTask(rating)) {
        throw new TypeError(`${rating} goes through rateTasks, never through rateTask`);
      }
      const fields = { id_task: taskId, rating, comment, bonus: bonus && wireMoney(bonus), favorite };
      const params = { campaign_id: campaignId };
      await pipeline.call(endpoints.rateTask, { params, fields, ids: { taskId }, options: call });
      return { campaignId, taskId };
    },

    async retargetCampaign(campaignId, targeting, call) {
      const fields = { 'countries[]': encodeTargeting(targeting, mark) };
      const request = { params: { campaign_id: campaignId }, fields, options: call };
      const { retargeted } = await pipeline.call(endpoints.retargetCampaign, request);
      return { campaignId, retargeted: decodeTargeting(retargeted, mark) };
    },

    async restartCampaign(campaignId, positions, call) {
      const fields = { positions: String(positions) };
      const request = { params: { campaign_id: campaignId }, fields, options: call };
      const restarted = await pipeline.call(endpoints.restartCampaign, request);
      return { campaignId, positionsAdded: restarted.positions_added };
    },

    async listExcludedEmployers(call) {
      const list = await pipeline.call(endpoints.listExcludedEmployers, { params: {}, options: call });
      const { employers } = list;
      return lists.parse('listExcludedEmployers', schemas.listedUser, employers, mappers.toListedUser);
    },

    async listIncludedEmployers(call) {
      const list = await pipeline.call(endpoints.listIncludedEmployers, { params: {}, options: call });
      const { employers } = list;
      return lists.parse('listIncludedEmployers', schemas.listedUser, employers, mappers.toListedUser);
    },

    async listCampaigns(call) {
      const decoding = createListText();
      const request = { params: {}, options: call };
      const list = pipeline.call(endpoints.listCampaigns, request, decoding.receive);
      const { count, campaigns } = await orEmpty(list, { count: 0, campaigns: [] });
      const read = lists.parse('listCampaigns', schemas.campaignTuple, campaigns, mappers.toCampaignEntry);
      return whole(read, campaigns, count, decoding, call);
    },

    async deleteMessage(id, call) {
      await pipeline.call(endpoints.deleteMessage, { params: { message_id: id }, options: call });
      return { messageId: id };
    },

    async unexcludeWorkers(ids, call) {
      const fields = { 'worker[]': ids === 'all' ? ['all'] : ids };
      const request = { params: {}, fields, options: call };
      return mappers.toListChange(await pipeline.call(endpoints.unexcludeWorkers, request));
    },

    async excludeEmployers(ids, call) {
      const request = { params: {}, fields: { 'employer[]': ids }, options: call };
      return mappers.toListChange(await pipeline.call(endpoints.excludeEmployers, request));
    },

    async excludeWorkers(ids, call) {
      const request = { params: {}, fields: { 'worker[]': ids }, options: call };
      return mappers.toListChange(await pipeline.call(endpoints.excludeWorkers, request));
    },

    async downloadFileProof(taskId, index, call) {
      const request = { params: { task_id: taskId, index: String(index) }, options: call };
      const { file, response } = await pipeline.download(endpoints.downloadFileProof, request, fileOrText);
      const { header, received } = response;
      const size = received === undefined ? Number(header('content-length') ?? Number.NaN) : Number.NaN;
      return {
        stream: file,
        filename: filenameOf(header('content-disposition')) ?? `${taskId}_${index}`,
        contentType: header('content-type') ?? 'application/octet-stream',
        ...(Number.isSafeInteger(size) ? { size } : {}),
      };
    },

    async workerTasks(filter = {}, call) {
      const fields = {
        rating: filter.rating,
        finished_from: datetime(filter.finishedFrom),
        finished_to: datetime(filter.finishedTo),
        page: filter.page?.toString(),
        entries_per_page: filter.entriesPerPage?.toString(),
      };
      const page = await pipeline.call(endpoints.workerTasks, { params: {}, fields, options: call });
      const tasks = lists.parse('workerTasks', schemas.workerTask, page.tasks, (wire) =>
        mappers.toWorkerTask(wire, datetimes),
      );
      return { tasks, pager: mappers.toPager(page) };
    },

    close: () => pipeline.close(),
  };
}

/** An answer without campaigns, which replaces a known one. */
const emptyList = { status: 'SUCCESS', campaigns: [] };

function toCampaignFields(input: NewCampaign) {
  const [onlyProof = '', ...moreProofs] = input.requiredProof;
  return {
    title: input.title,
    group_id: input.groupId,
    category: input.category,
    minutes_to_finish: String(input.minutesToFinish),
    available_positions: String(input.availablePositions),
    max_positions_per_worker: String(input.maxPositionsPerWorker),
    payment_per_task: wireMoney(input.paymentPerTask),
    description_type: input.descriptionType,
    required_work: input.requiredWork,
    ...(moreProofs.length === 0
      ? { required_proof: onlyProof }
      : { 'required_proof[]': input.requiredProof }),
    ttr: String(input.ttr),
    auto_rate: input.autoRate,
    file_proof: String(input.fileProof),
    file: input.file,
    csv: input.csv,
    qt_required: input.qtRequired === undefined ? undefined : input.qtRequired ? '1' : '0',
  };
}

/**
 * Creates the reader of a list's text, which records whether some of its bytes stood for no character.
 * @param isKnown returns whether an answer with this digest was read before: the text is that of an empty list then
 */
function createListText(isKnown?: (digest: string) => boolean) {
  const decoding = {
    isUndecodable: false,
    async receive(response: HttpResponse): Promise<{ readonly text: string }> {
      const bytes = await readWhole(response);
      const digest = createHash('sha1').update(bytes).digest('base64url');
      if (response.status === 200 && isKnown?.(digest)) return { text: JSON.stringify(emptyList) };
      const onUndecodable = () => {
        decoding.isUndecodable = true;
      };
      return { text: decodeText(bytes, response, onUndecodable) };
    },
  };
  return decoding;
}

/**
 * Returns the readable items of a list. Reports when the list has more, or when some of their characters could not be
 * decoded.
 */
function whole<Item extends { readonly id: string }>(
  read: Item[],
  items: readonly unknown[],
  count: number | undefined,
  { isUndecodable }: { readonly isUndecodable: boolean },
  call: ListOptions | undefined,
): Item[] {
  const expected = Math.max(count ?? 0, items.length);
  const clear = isUndecodable ? read.filter((item) => !hasUndecoded(item)) : read;
  if (clear.length === expected) return read;
  const ids = new Set<unknown>(clear.map(({ id }) => id));
  const unreadable = items.map(namesOf).filter(([id]) => !ids.has(id));
  const named = unreadable.flatMap(([id, title]) => (id === '' ? [] : [title ? `${title} (${id})` : id]));
  call?.onIncomplete?.({ read: clear.length, expected, unreadable: named });
  return read;
}

/** Returns an empty list in place of the error that only means that the list is empty. */
async function orEmpty<Body>(list: Promise<Body>, empty: Body): Promise<Body> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof MarketplaceError && emptyListCodes.some((code) => code === error.code)) return empty;
    throw error;
  }
}

/** Returns the id and title of a list's item as they were sent, for an item that cannot be read; '' where it has none. */
function namesOf(item: unknown): readonly [id: string, title: string] {
  const { campaign_id, message_id, title, subject } = Object(item);
  const [id, name] = Array.isArray(item) ? item : [campaign_id ?? message_id, title ?? subject];
  return [textIn(id), textIn(name)];
}

function textIn(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
