import { z } from 'zod';
import { CampaignId, ChannelId, campaignStatuses } from '../../domain/terms.ts';
import { codec as checked } from '../../slack/codec.ts';

/** What buttons, options and modals of this feature carry. */
function codec<Schema extends z.ZodType>(schema: Schema) {
  return checked(schema, 'Ask again with `/campaign list`.');
}

const campaign = CampaignId.min(1);
const channel = ChannelId.optional();
/** Counts how often a form was sent, so that each time is carried out once. */
const attempt = z.number().int().min(1);

/** One campaign, and for a restart how many positions were asked for. */
export const campaignValue = codec(z.object({ campaign, positions: z.number().int().positive().optional() }));

/** A change of countries to be made at a time (ms); the codes with spaces between them. */
export const laterValue = codec(
  z.object({ campaign, include: z.string(), exclude: z.string(), at: z.number().int() }),
);

export const folders = ['DEFAULT', 'ARCHIVE'] as const;
/** What of a campaign the list can be filtered by the days of. */
export const occasions = ['created', 'restarted', 'finished'] as const;

const day = z.iso.date().optional();
const filter = z.object({
  status: z.enum(campaignStatuses).optional(),
  folder: z.enum(folders).optional(),
  created: z.object({ from: day, to: day }).optional(),
  restarted: z.object({ from: day, to: day }).optional(),
  finished: z.object({ from: day, to: day }).optional(),
});

/** Which campaigns a list shows. Days (YYYY-MM-DD) are those of the marketplace's zone, both included. */
export type ListFilter = z.infer<typeof filter>;

/** A page of the list, from 0. */
export const pageValue = codec(z.object({ filter, page: z.number().int().min(0) }));

/** The form that filters a list: where the list can be changed (a response_url), and where it was asked for. */
export const filterState = codec(z.object({ responseUrl: z.string().optional(), channel }));

export const purposes = ['status', 'restart', 'retarget', 'results'] as const;
export type Purpose = (typeof purposes)[number];

/** The form that asks for a campaign: what for, and where it was asked. */
export const pickState = codec(z.object({ purpose: z.enum(purposes), channel }));

const form = z.object({ campaign, channel, attempt });
export type FormState = z.infer<typeof form>;

/** The forms for restarting and retargeting a campaign. */
export const formState = codec(form);
