import type { ModalView } from '@slack/types';
import type { Redis } from 'ioredis';
import { campaign } from '../../gallery/samples/campaigns.ts';
import { createFeatures } from '../../src/app/features.ts';
import type { Message } from '../../src/slack/blocks.ts';
import type { Click, SubmissionAnswer } from '../../src/slack/feature.ts';
import { personOf } from '../../src/slack/members.ts';
import { asId, ref } from './ids.ts';
import { moduleParts } from './modules.ts';
import { waitingRow } from './waiting-row.ts';

type Acts = Readonly<Record<string, { run(input: unknown): Promise<unknown> }>>;
type Given = Partial<Omit<Click, 'view'>> & {
  readonly view?: ModalView | undefined;
  readonly values?: object;
};
interface Block {
  readonly block_id: string;
  readonly text?: { readonly text: string };
  readonly elements?: readonly { action_id?: string; value?: string; text?: string | { text: string } }[];
}
const blocksOf = (view?: ModalView) => (view?.blocks ?? []) as readonly Block[];

/** A person at the bot's modals on this Redis, with a Slack that only shows what it is sent. */
export function modalPerson(redis: Redis, now = () => 100_000) {
  const views: ModalView[] = [];
  const said: string[] = [];
  const updateModal = async (_: string, view: ModalView) => void views.push(view);
  const answer = async (_: unknown, { text }: Message) => void said.push(text);
  const messengerOf = () =>
    ({ updateModal, answer, person: async () => personOf({ team_id: 'T1' }) }) as never;
  const jobs = {
    add: async (name: string, payload: never) => void (name === 'bulk' && (await handlers.bulk(payload))),
  };
  const parts = { now, messengerOf, jobs: jobs as never };
  const { config, ...given } = moduleParts(redis, parts);
  const { features, context, handlers } = createFeatures({
    ...given,
    config: { ...config, accountOwners: [asId('U1')] },
  });
  const all = (kind: 'clicks' | 'submissions'): Acts =>
    Object.assign({}, ...features.map((one) => one[kind]));
  const actor = {
    ...{ workspace: ref.workspace, team: ref.workspace, member: 'U1', how: 'click', ts: '5', id: '1' },
    authorize: async () => ref,
    open: async (view: ModalView) => `V${views.push(view)}`,
    answer: (message: Message) => answer(undefined, message),
  };
  const openAt = ({ view = views.at(-1), values = {} }: Given) =>
    view && { id: 'V', hash: 'h', callbackId: view.callback_id, state: view.private_metadata, values };
  return {
    ...{ context, views, said },

    /** Campaigns of which so many tasks wait each, of three workers, and of which everything is known. */
    async stores(counts: Readonly<Record<string, number>>): Promise<void> {
      await context.people.accounts.connect(ref, 'shared', 'employer-demo-key');
      for (const [name, tasksNotRated] of Object.entries(counts)) {
        const id = asId<ReturnType<typeof campaign>['id']>(name);
        await context.campaigns.store(ref, [campaign({ id, title: `Shelf ${id}`, tasksNotRated })]);
        for (let index = 0; index < tasksNotRated; index++) {
          const worker = { id: asId<never>(`w${index % 3}`), country: '', ip: '' };
          const proof = { slots: [`proof ${index}`], files: [], finishedAt: 1_000 + index };
          const row = waitingRow(asId(`${id}-${index}`), id, 0, { worker, proof });
          await context.tasks.apply(ref, row.id, row);
          await context.tasks.apply(ref, row.id, { type: 'detailed', round: 1, worker, proof });
          await context.tasks.apply(ref, row.id, { type: 'images-uploaded', round: 1, pictures: [] });
        }
      }
    },

    /** Presses a button in the last view, or in that which is given. */
    async presses(action: string, given: Given = {}): Promise<void> {
      const [found] = blocksOf(given.view ?? views.at(-1)).flatMap(({ block_id: blockId, elements = [] }) =>
        elements.filter((one) => one.action_id === action).map(({ value }) => ({ blockId, value })),
      );
      await all('clicks')[action]?.run({ ...actor, ...found, ...given, view: openAt(given) });
    },

    /** Submits the last view. Returns the errors beside its inputs. */
    async submits(values: object = {}) {
      const entry = all('submissions')[views.at(-1)?.callback_id ?? ''];
      const answered = await entry?.run({ ...actor, ...openAt({ values }) });
      const { update, afterwards, errors } = (answered ?? {}) as SubmissionAnswer;
      if (update !== undefined) views.push(update);
      await afterwards?.();
      return errors;
    },

    /** Returns the texts of the last view, a line for each block; of its boxes and menus there is none. */
    reads: () =>
      blocksOf(views.at(-1)).flatMap(({ text, elements = [] }) => {
        const words = elements.flatMap((one) =>
          typeof one.text === 'object' ? one.text.text : (one.text ?? []),
        );
        return text || words.length > 0 ? [[...(text ? [text.text] : []), ...words].join(' | ')] : [];
      }),
  };
}
