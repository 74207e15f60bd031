/** The 21 endpoints of the marketplace API as data, in the order of its sections; one pipeline (pipeline.ts) serves them all. */
import type * as z from 'zod';
import * as schemas from './schemas.ts';

export interface Endpoint<Path extends string = string, Response extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Only a GET may be repeated blindly: ratings pay, a restart adds, and even a second delete is an error. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `{name}` is replaced by a parameter of the caller. */
  readonly path: Path;
  /** The schema of a SUCCESS answer. */
  readonly response: Response;
  /** Whether the fields are sent as a multipart form, not as a query (of a GET) or an ordinary form. */
  readonly isMultipart?: true;
  /** Whether it rates tasks: ratings take priority over everything else. */
  readonly isRating?: true;
  /** The kind of answer where it is not ordinary JSON: one that may have hundreds of megabytes, or a file. */
  readonly answer?: 'large' | 'file';
}

/** The names between braces in a path. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never;

const described = {
  createCampaign: endpoint('POST', '/campaign_hg/new_campaign', schemas.createdCampaign, {
    isMultipart: true,
  }),
  listCategories: endpoint('GET', '/campaign_b/categories_list', schemas.categoryList),
  rateTasks: endpoint('PUT', '/campaign_hg/rate_tasks/{campaign_id}', schemas.ratedTasks, { isRating: true }),
  getTaskInfo: endpoint('GET', '/campaign_hg/get_task_info/{task_id}', schemas.taskInfo),
  listMessages: endpoint('GET', '/messages/list', schemas.messageList),
  readMessage: endpoint('GET', '/message/read/{message_id}', schemas.message),
  listCampaignsExtended: endpoint('GET', '/campaigns_b/list_extend', schemas.campaignSummaries),
  submitFileProof: endpoint('POST', '/campaign_b/submit_file_proof/{campaign_id}', schemas.submittedProof, {
    isMultipart: true,
  }),
  campaignResults: endpoint('GET', '/campaign_hg/results_csv/{campaign_id}', schemas.resultsCsv, {
    answer: 'large',
  }),
  rateTask: endpoint('PUT', '/campaign_hg/rate_task/{campaign_id}', schemas.rated, { isRating: true }),
  retargetCampaign: endpoint('PUT', '/campaign_b/retarget/{campaign_id}', schemas.retargeted),
  restartCampaign: endpoint('PUT', '/campaign_b/restart_campaign/{campaign_id}', schemas.restarted),
  listExcludedEmployers: endpoint('GET', '/worker/exclude_list', schemas.userList),
  listIncludedEmployers: endpoint('GET', '/worker/include_list', schemas.userList),
  listCampaigns: endpoint('GET', '/campaigns_b/list', schemas.campaignTuples),
  deleteMessage: endpoint('PUT', '/message/delete/{message_id}', schemas.deletedMessage),
  unexcludeWorkers: endpoint('DELETE', '/employer/exclude_list', schemas.listChange),
  excludeEmployers: endpoint('POST', '/worker/exclude_list', schemas.listChange),
  excludeWorkers: endpoint('POST', '/employer/exclude_list', schemas.listChange),
  downloadFileProof: endpoint(
    'GET',
    '/campaign_hg/download_file_proof/{task_id}_{index}',
    schemas.fileAnswer,
    {
      answer: 'file',
    },
  ),
  workerTasks: endpoint('GET', '/worker/b_tasks', schemas.workerTaskList),
};

type Described = typeof described;

export const endpoints = Object.fromEntries(
  Object.entries(described).map(([name, one]) => [name, { ...one, name }]),
) as { readonly [Name in keyof Described]: Described[Name] & { readonly name: Name } };

function endpoint<const Path extends string, Response extends z.ZodType>(
  method: Endpoint['method'],
  path: Path,
  response: Response,
  more: Pick<Endpoint, 'isMultipart' | 'isRating' | 'answer'> = {},
): Omit<Endpoint<Path, Response>, 'name'> {
  return { method, path, response, ...more };
}

/** Returns whether it is for keys that act as workers: it refuses the key of an employer, which says nothing about that key. */
export function isWorkerSide({ path }: Pick<Endpoint, 'path'>): boolean {
  return path.startsWith('/worker/');
}

/** Returns an endpoint's path with the caller's parameters. */
export function pathWith({ path }: Endpoint, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
