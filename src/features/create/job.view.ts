import type { InputBlock, ModalView, PlainTextElement, PlainTextOption } from '@slack/types';
import { formatMoney, money } from '../../domain/money.ts';
import { context, input, option, plainText } from '../../slack/blocks.ts';
import { limits } from '../../slack/limits.ts';
import { formPage, numberInput, textInput } from '../../ui/draft-form.view.ts';
import { type Catalogue, type Category, categoryOf } from './catalogue.ts';
import type { CampaignDraft } from './draft.ts';
import { dispatching } from './inputs.view.ts';
import { costLine, minimumsLine } from './payment.ts';
import { wording } from './wording.ts';

export const jobForm = 'campaign.create.job';
/** Action ids for changes. Under the first, Slack also requests categories if they are too many for a list. */
export const categoryChanged = 'campaign.create.category';
export const paymentChanged = 'campaign.create.payment';
export const positionsChanged = 'campaign.create.positions';

/** Categories below their parent. */
export interface CategoryGroup {
  readonly label: PlainTextElement;
  readonly options: PlainTextOption[];
}

/** Maximum number of groups in a select, and their share of a view's size (250 KB). */
const mostGroups = 100;
const mostBytes = 100_000;

/** Returns the first page: the campaign's category, size and payment. */
export function jobView(draft: CampaignDraft, catalogue: Catalogue): ModalView {
  const { values: fields } = draft;
  const category = categoryOf(catalogue, fields.category);
  return formPage(wording, draft, { callbackId: jobForm, submit: 'Next' }, [
    textInput('title', 'Title', fields.title, { hint: 'The first thing workers see.' }),
    categorySelect(catalogue, category),
    context(
      category === undefined
        ? 'Choose a category to see its minimum payment in each zone.'
        : minimumsLine(category, fields.payment),
    ),
    dispatching(
      textInput('payment', 'Payment per task', fields.payment, { hint: 'A decimal, such as 0.05.' }),
      paymentChanged,
    ),
    dispatching(
      numberInput('positions', 'Positions', fields.positions, { hint: 'How many tasks you want in total.' }),
      positionsChanged,
    ),
    context(costLine(fields.positions, fields.payment)),
    numberInput('perWorker', 'Positions per worker', fields.perWorker, {
      hint: 'How many of them one worker may take.',
    }),
    numberInput('minutes', 'Minutes to finish', fields.minutes, { hint: 'How long a worker may take.' }),
    textInput('group', 'Group', fields.group, {
      hint: 'The id of a group at the marketplace (group_id), if you use one.',
      isOptional: true,
    }),
  ]);
}

/** Returns category options below their parents, up to Slack's limit. */
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

/** Returns a list if Slack can hold all categories, otherwise a select that queries the bot while somebody types. */
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
  return dispatching(input('category', 'Category', element), categoryChanged);
}

/** Returns options without those whose ids are too long. */
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
