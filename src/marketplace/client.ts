import type * as z from 'zod';
import { wireMoney } from '../domain/money.ts';
import {
  decodeTargeting,
  defaultExcludeMark,
  defaultTimeZone,
  emptyListCodes,
  encodeTargeting,
  isAcceptedByRateTask,
} from './api-assumptions.ts';
import { createDatetimes, type Datetimes } from './datetimes.ts';
import { fileOrText } from './downloads.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { MarketplaceError } from './errors.ts';
import { decodeText, type HttpResponse, hasUndecoded, readWhole } from './http.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { decodeRatings, encodeRatings } from './ratings.ts';
import { createResultsAnswer } from './results-csv.ts';
import type { ListItem } from './schemas.ts';
import type {
  CallOptions,
  CampaignFilter,
  CampaignResults,
  CreatedCampaign,
  Dated,
  FileDownload,
  ListOptions,
  MarketplaceClientOptions,
  MessageFilter,
  NewCampaign,
  RatingEntry,
  ResultRow,
  ResultsOptions,
  ResultsTaker,
  Targeting,
  TaskInfo,
  UploadFile,
  WorkerTaskFilter,
} from './types.ts';

/** The employer API, one method per endpoint. */
export type MarketplaceClient = ReturnType<typeof createMethods>;

/**
 * Creates a client for one account of the marketplace. It keeps its connections open until it is closed, and limits its
 * concurrent requests and requests per second.
 *
 * Throws TypeError when `baseUrl` is not an address and RangeError when there is no such time zone. A wrong key is reported
 * by the first call, as a MarketplaceError whose `isAuthentication` is true.
 */
export function createMarketplaceClient(options: MarketplaceClientOptions) {
  const datetimes = createDatetimes(options.timeZone ?? defaultTimeZone);
  const { call, close } = createPipeline({ ...options, datetimes });
  return { ...createMethods(call, { ...options, datetimes }), close };
}

/**
 * Creates one method per endpoint (section numbers are those of the API's "Endpoints") from the way to call endpoints.
 *
 * Every method rejects with `MarketplaceError` when the service refuses and with `TransportError` when there was no usable
 * answer. GETs are retried; writes only when they certainly were not sent, or not applied.
 */
export function createMethods(
  call: Pipeline['call'],
  {
    datetimes,
    excludeMark = defaultExcludeMark,
    onSkipped,
  }: Pick<MarketplaceClientOptions, 'excludeMark' | 'onSkipped'> & { readonly datetimes: Datetimes },
) {
  const datetime = (date: Date | undefined) => date && datetimes.format(date);

  function dated<Field extends string, Item extends { readonly [Name in Field]: string }>(
    field: Field,
    item: Item,
  ) {
    return { ...item, [field]: datetimes.parse(item[field]) } as Dated<Item, Field>;
  }

  /** Returns the items of a list that could be read, and reports the others. */
  function readable<Item>(endpoint: string, list: readonly ListItem<Item>[]): Item[] {
    return list.flatMap((one, index) => {
      if (one.issues === undefined) return [one.item];
      onSkipped?.({ endpoint, index, issues: one.issues });
      return [];
    });
  }

  /**
   * Reads a list. Reports when it has more items than are readable, or when some of their characters could not be decoded.
   */
  async function listOf<Item extends { readonly id: string }>(
    endpoint: Endpoint<string, z.ZodType<{ count: number | undefined; items: ListItem<Item>[] }>>,
    fields: Readonly<Record<string, string | undefined>>,
    options: ListOptions | undefined,
  ): Promise<Item[]> {
    let isUndecodable = false;
    async function receive(response: HttpResponse): Promise<{ readonly text: string }> {
      const bytes = await readWhole(response);
      isUndecodable = false;
      return { text: decodeText(bytes, response, () => (isUndecodable = true)) };
    }
    const list = call(endpoint, { params: {}, fields, options, receive });
    const { count, items } = await orEmpty(list, { count: 0, items: [] });
    const isClear = ({ item }: ListItem<Item>) =>
      item !== undefined && !(isUndecodable && hasUndecoded(item));
    const unclear = items.filter((one) => !isClear(one));
    const expected = Math.max(count ?? 0, items.length);
    const read = items.length - unclear.length;
    const unreadable = unclear.flatMap(({ sent }) => nameOf(sent));
    if (read < expected) options?.onIncomplete?.({ read, expected, unreadable });
    return readable(endpoint.name, items);
  }

  return {
    /** Section 1. `MarketplaceError.errors` and `.minPaymentPerTask` tell what was wrong. */
    async createCampaign(input: NewCampaign, options?: CallOptions): Promise<CreatedCampaign> {
      const fields = toCampaignFields(input);
      const made = await call(endpoints.createCampaign, { params: {}, fields, options });
      return { campaignId: made.campaign_id, ...(made.cost ? { cost: made.cost } : {}) };
    },

    /** Section 2. */
    async listCategories(options?: CallOptions) {
      const list = call(endpoints.listCategories, { params: {}, options });
      const { parent_categories: parents } = await orEmpty(list, { parent_categories: [] });
      const read = <Item>(items: readonly ListItem<Item>[]) => readable('listCategories', items);
      return read(parents).map(({ title, categories }) => ({
        title,
        categories: read(categories).map(({ minPaymentPerTask, ...category }) => ({
          ...category,
          minPaymentPerTask: read(minPaymentPerTask),
        })),
      }));
    },

    /**
     * Section 3. One answer per entry, in the order of the entries. Throws TypeError when some entries have a bonus (or
     * favorite) and others have none: the arrays of the request are matched by position.
     */
    async rateTasks(campaignId: string, entries: readonly RatingEntry[], options?: CallOptions) {
      const fields = encodeRatings(entries);
      if (entries.length === 0) return [];
      const params = { campaign_id: campaignId };
      const { tasks } = await call(endpoints.rateTasks, { params, fields, options });
      readable('rateTasks', tasks);
      return decodeRatings(
        entries,
        tasks.map(({ item }) => item),
      );
    },

    /** Section 4. */
    async getTaskInfo(id: string, options?: CallOptions): Promise<TaskInfo> {
      const { taskId, taskDetails } = await call(endpoints.getTaskInfo, { params: { task_id: id }, options });
      const { fileProof, ...details } = dated('finishedAt', taskDetails);
      return {
        taskId,
        ...details,
        files: readable('getTaskInfo', fileProof?.fileProofDetails ?? []),
        fileProofStatus: fileProof?.status.trim() ?? '',
      };
    },

    /** Section 5. NO MESSAGES is an empty list. */
    async listMessages({ folder, from, to, unread }: MessageFilter = {}, options?: ListOptions) {
      const fields = {
        folder,
        date_from: datetime(from),
        date_to: datetime(to),
        unread: unread === undefined ? undefined : unread ? 'yes' : 'no',
      };
      const messages = await listOf(endpoints.listMessages, fields, options);
      return messages.map((one) => dated('sentAt', one));
    },

    /** Section 6. */
    async readMessage(id: string, options?: CallOptions) {
      return dated('sentAt', await call(endpoints.readMessage, { params: { message_id: id }, options }));
    },

    /** Section 7. NO CAMPAIGNS is an empty list. */
    async listCampaignsExtended(filter: CampaignFilter = {}, options?: ListOptions) {
      const campaigns = await listOf(endpoints.listCampaignsExtended, { ...filter }, options);
      return campaigns.map((one) => dated('createdAt', one));
    },

    /** Section 8. */
    async submitFileProof(
      campaignId: string,
      { workerId, ip, proof, file }: { workerId: string; ip: string; proof: string; file?: UploadFile },
      options?: CallOptions,
    ) {
      const fields = { user_id: workerId, ip, proof, file_proof: file };
      const request = { params: { campaign_id: campaignId }, fields, options };
      const { task_id: taskId } = await call(endpoints.submitFileProof, request);
      return { taskId };
    },

    /** Section 9. */
    async campaignResults(campaignId: string, options?: ResultsOptions): Promise<CampaignResults> {
      let rows: ResultRow[] = [];
      const openResults = () => {
        rows = [];
        const into: ResultsTaker = options?.into?.() ?? { onRows: (some) => void rows.push(...some) };
        return createResultsAnswer({ datetimes, campaignId, into });
      };
      let results: ReturnType<typeof openResults> | undefined;
      const receive = (response: HttpResponse) => {
        results = openResults();
        return results.receive(response);
      };
      const request = { params: { campaign_id: campaignId }, options, receive };
      const { csv } = await call(endpoints.campaignResults, request);
      const read = await (results ?? openResults()).end(csv);
      const clear = rows.filter(({ taskId }) => !read.doubtful.has(taskId));
      return { ...read, rows: clear };
    },

    /** Section 10. Throws TypeError for REVISE, which goes through `rateTasks`. */
    async rateTask(campaignId: string, entry: RatingEntry, options?: CallOptions): Promise<void> {
      const { taskId, rating, comment, bonus, favorite } = entry;
      if (!isAcceptedByRateTask(rating)) {
        throw new TypeError(`${rating} goes through rateTasks, never through rateTask`);
      }
      const fields = { id_task: taskId, rating, comment, bonus: bonus && wireMoney(bonus), favorite };
      const params = { campaign_id: campaignId };
      await call(endpoints.rateTask, { params, fields, options });
    },

    /** Section 11. Returns the targeting as confirmed by the service. */
    async retargetCampaign(campaignId: string, targeting: Targeting, options?: CallOptions) {
      const fields = { 'countries[]': encodeTargeting(targeting, excludeMark) };
      const request = { params: { campaign_id: campaignId }, fields, options };
      const { retargeted } = await call(endpoints.retargetCampaign, request);
      return { retargeted: decodeTargeting(retargeted, excludeMark) };
    },

    /** Section 12. `positions`: how many to add. */
    async restartCampaign(campaignId: string, positions: number, options?: CallOptions) {
      const fields = { positions: String(positions) };
      const request = { params: { campaign_id: campaignId }, fields, options };
      const restarted = await call(endpoints.restartCampaign, request);
      return { positionsAdded: restarted.positions_added };
    },

    /** Section 13, worker role. */
    async listExcludedEmployers(options?: CallOptions) {
      const { employers } = await call(endpoints.listExcludedEmployers, { params: {}, options });
      return readable('listExcludedEmployers', employers);
    },

    /** Section 14, worker role. */
    async listIncludedEmployers(options?: CallOptions) {
      const { employers } = await call(endpoints.listIncludedEmployers, { params: {}, options });
      return readable('listIncludedEmployers', employers);
    },

    /** Section 15. NO CAMPAIGNS is an empty list. */
    listCampaigns: async (options?: ListOptions) => listOf(endpoints.listCampaigns, {}, options),

    /** Section 16. Moves to TRASH. */
    async deleteMessage(id: string, options?: CallOptions): Promise<void> {
      await call(endpoints.deleteMessage, { params: { message_id: id }, options });
    },

    /** Section 17. `'all'` clears the whole list. */
    async unexcludeWorkers(ids: readonly string[] | 'all', options?: CallOptions) {
      const fields = { 'worker[]': ids };
      return call(endpoints.unexcludeWorkers, { params: {}, fields, options });
    },

    /** Section 18, worker role. */
    excludeEmployers: async (ids: readonly string[], options?: CallOptions) =>
      call(endpoints.excludeEmployers, { params: {}, fields: { 'employer[]': ids }, options }),

    /** Section 19. */
    excludeWorkers: async (ids: readonly string[], options?: CallOptions) =>
      call(endpoints.excludeWorkers, { params: {}, fields: { 'worker[]': ids }, options }),

    /** Section 20. `index` from 1. The deadline covers the time until the file begins to arrive. */
    async downloadFileProof(taskId: string, index: number, options?: CallOptions): Promise<FileDownload> {
      const request = { params: { task_id: taskId, index: String(index) }, options, receive: fileOrText };
      const { file, response } = await call(endpoints.downloadFileProof, request);
      const { header, received } = response;
      const size = received === undefined ? Number(header('content-length') ?? Number.NaN) : Number.NaN;
      return { stream: file, ...(Number.isSafeInteger(size) ? { size } : {}) };
    },

    /** Section 21, worker role. */
    async workerTasks(filter: WorkerTaskFilter = {}, options?: CallOptions) {
      const fields = {
        rating: filter.rating,
        finished_from: datetime(filter.finishedFrom),
        finished_to: datetime(filter.finishedTo),
        page: filter.page?.toString(),
        entries_per_page: filter.entriesPerPage?.toString(),
      };
      const { tasks, pager } = await call(endpoints.workerTasks, { params: {}, fields, options });
      return { tasks: readable('workerTasks', tasks).map((one) => dated('finishedAt', one)), pager };
    },
  };
}

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
    qt_required: input.qtRequired === undefined ? undefined : input.qtRequired ? '1' : '0',
    file: input.file,
    csv: input.csv,
  };
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

/** Returns the title and id of a list's item as they were sent, for an item that cannot be read; none where it has no id. */
function nameOf(item: unknown): string[] {
  const { campaign_id, message_id, title, subject } = Object(item);
  const [id, name] = Array.isArray(item) ? item : [campaign_id ?? message_id, title ?? subject];
  if (textIn(id) === '') return [];
  return [textIn(name) === '' ? textIn(id) : `${textIn(name)} (${textIn(id)})`];
}

function textIn(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
