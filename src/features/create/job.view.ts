import type { InputBlock, ModalView, PlainTextElement, PlainTextOption } from '@slack/types';
import { formatMoney, money } from '../../domain/money.ts';
import { button, context, input, option, plainText, section } from '../../slack/blocks.ts';
import { limits } from '../../slack/limits.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { costLine, minimumsLine } from './amounts.ts';
import { type Catalogue, type Category, categoryOf } from './catalogue.ts';
import type { Draft } from './draft.ts';
import { numberInput, page, problemsAt, problemsOnTop, telling } from './parts.view.ts';

export const jobForm = 'campaign.create.job';
/** What tells us of its changes; by the first Slack also asks for categories where they are too many for a list. */
export const categoryChanged = 'campaign.create.category';
export const paymentChanged = 'campaign.create.payment';
export const positionsChanged = 'campaign.create.positions';
/** Opens what was begun before in place of the empty form. */
export const goOn = 'campaign.create.go-on';

/** Categories under their parent. */
export interface CategoryGroup {
  readonly label: PlainTextElement;
  readonly options: PlainTextOption[];
}

/** Groups that one select can hold, and how much of a view (250 KB) they may take up. */
const mostGroups = 100;
const mostBytes = 100_000;

/** The first page: what the campaign is, how much of it, and what it pays. */
export function jobView(draft: Draft, catalogue: Catalogue): ModalView {
  const { fields } = draft;
  const category = categoryOf(catalogue, fields.category);
  return page(
    draft,
    jobForm,
    [
      ...problemsOnTop(draft),
      ...(draft.unfinished
        ? [
            section(`You have begun *${inline(draft.unfinished.title)}* and not finished it.`, {
              accessory: button('Go on with it', goOn, draft.unfinished.id),
            }),
          ]
        : []),
      input(
        'title',
        'Title',
        { type: 'plain_text_input', ...initialText(fields.title) },
        { hint: 'Workers see it first.' },
      ),
      ...problemsAt(draft, 'title'),
      categorySelect(catalogue, category),
      context(
        category === undefined
          ? 'The least payment in each zone shows here once a category is chosen.'
          : minimumsLine(category, fields.payment),
      ),
      ...problemsAt(draft, 'category'),
      telling(
        input(
          'payment',
          'Payment per task',
          { type: 'plain_text_input', ...initialText(fields.payment) },
          { hint: 'A decimal, such as 0.05.' },
        ),
        paymentChanged,
      ),
      ...problemsAt(draft, 'payment'),
      telling(
        numberInput('positions', 'Positions', fields.positions, { hint: 'How many tasks you want in all.' }),
        positionsChanged,
      ),
      ...problemsAt(draft, 'positions'),
      context(costLine(fields.positions, fields.payment)),
      numberInput('perWorker', 'Positions per worker', fields.perWorker, {
        hint: 'How many of them one worker may take.',
      }),
      ...problemsAt(draft, 'perWorker'),
      numberInput('minutes', 'Minutes to finish', fields.minutes, { hint: 'How long the job takes.' }),
      ...problemsAt(draft, 'minutes'),
      input(
        'group',
        'Group',
        { type: 'plain_text_input', ...initialText(fields.group) },
        {
          hint: 'The identifier of a group at the marketplace (group_id), if you use one.',
          isOptional: true,
        },
      ),
      ...problemsAt(draft, 'group'),
    ],
    'Next',
  );
}

/** Categories under their parents, to choose from: at most as many as one answer may have. */
export function categoryOptions(catalogue: Catalogue): { groups: CategoryGroup[] } {
  let room: number = limits.options;
  const groups: CategoryGroup[] = [];
  for (const group of optionGroups(catalogue)) {
    const options = group.options.slice(0, room);
    if (options.length > 0) groups.push({ ...group, options });
    room -= options.length;
  }
  return { groups };
}

/** A list where Slack can hold them all, otherwise a select that asks us while somebody types. */
function categorySelect(catalogue: Catalogue, chosen: Category | undefined): InputBlock {
  const groups = optionGroups(catalogue);
  const fits =
    groups.length > 0 &&
    groups.length <= mostGroups &&
    groups.every(({ options }) => options.length <= limits.options) &&
    JSON.stringify(groups).length <= mostBytes;
  const placeholder = plainText('Choose a category');
  const initial = chosen ? { initial_option: categoryOption(chosen) } : {};
  const element: InputBlock['element'] = fits
    ? { type: 'static_select', option_groups: groups, placeholder, ...initial }
    : { type: 'external_select', min_query_length: 0, placeholder, ...initial };
  return telling(input('category', 'Category', element), categoryChanged);
}

/** Ids that are too long for an option cannot be offered. */
function optionGroups(catalogue: Catalogue): CategoryGroup[] {
  return catalogue
    .map(({ title, categories }) => ({
      label: plainText(title.trim() === '' ? 'Other' : title, limits.optionText),
      options: categories
        .filter(({ id }) => id !== '' && id.length <= limits.optionValue)
        .map(categoryOption),
    }))
    .filter(({ options }) => options.length > 0);
}

function categoryOption({ id, title, minimums }: Category): PlainTextOption {
  const [least] = minimums.map(({ payment }) => money(payment)).sort((a, b) => a.cmp(b));
  return option(title, id, least ? `from ${formatMoney(least)} per task` : undefined);
}

export function initialText(text: string): { initial_value?: string } {
  return text === '' ? {} : { initial_value: text };
}
