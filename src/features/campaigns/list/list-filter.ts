import { daysSpan } from '../../../domain/days.ts';
import type { CampaignFilter } from '../../../marketplace/index.ts';
import type { ListFilter } from '../button-values.ts';

/** A filter as list_extend takes it (section 7 of the marketplace API). @param zone IANA zone of its days */
export function filterAsked(filter: ListFilter, zone: string): CampaignFilter {
  const { status, folder } = filter;
  const created = daysSpan(filter.created?.from, filter.created?.to, zone);
  const restarted = daysSpan(filter.restarted?.from, filter.restarted?.to, zone);
  const finished = daysSpan(filter.finished?.from, filter.finished?.to, zone);
  return {
    ...(status ? { status } : {}),
    ...(folder ? { folder } : {}),
    ...(created.from ? { createdFrom: created.from } : {}),
    ...(created.to ? { createdTo: created.to } : {}),
    ...(restarted.from ? { restartedFrom: restarted.from } : {}),
    ...(restarted.to ? { restartedTo: restarted.to } : {}),
    ...(finished.from ? { finishedFrom: finished.from } : {}),
    ...(finished.to ? { finishedTo: finished.to } : {}),
  };
}
