import { z } from 'zod';
import { titleKey } from '../../domain/campaign.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { createCodec } from '../../store/codec.ts';

const Category = z.object({
  id: z.string(),
  title: z.string(),
  /** The minimum payment per task in each zone, as decimal text. */
  minimums: z.array(z.object({ zone: z.string(), payment: z.string() })),
});
export type Category = z.infer<typeof Category>;

const Catalogue = z.array(z.object({ title: z.string(), categories: z.array(Category) }));
/** Categories below their parents ("Category catalogue" of the API). */
export type Catalogue = z.infer<typeof Catalogue>;

const catalogueCodec = createCodec('categories', Catalogue);

/** Long enough for one form; minimums may change. */
const cacheSeconds = 1_800;
const name = ({ account }: AccountRef) => `categories ${account}`;

/** Creates the cached lookup of an account's categories: every change in the form needs them at once. */
export function createCatalogues({ jobs, marketplace }: Modules) {
  async function cached(ref: AccountRef): Promise<Catalogue | undefined> {
    const text = await jobs.expiringTexts.get(ref.workspace, name(ref));
    const decoded = catalogueCodec.decode(text ?? '');
    return decoded.ok ? decoded.value : undefined;
  }

  async function fetched(ref: AccountRef, deadlineMs: number): Promise<Catalogue> {
    const parents = await (await marketplace.of(ref)).listCategories({ deadlineMs });
    const catalogue = parents
      .map(({ title, categories }) => ({
        title,
        categories: categories.map((category) => ({
          id: category.id,
          title: category.title,
          minimums: category.minPaymentPerTask.map(({ zone, paymentPerTask }) => ({
            zone,
            payment: paymentPerTask.toFixed(),
          })),
        })),
      }))
      .filter(({ categories }) => categories.length > 0);
    if (catalogue.length > 0) {
      await jobs.expiringTexts.put(ref.workspace, name(ref), catalogueCodec.encode(catalogue), cacheSeconds);
    }
    return catalogue;
  }

  return {
    /** Returns undefined when the categories must be fetched. */
    cached,

    fetch: fetched,

    /** Returns the cached categories, or fetches them within Slack's timeout of 3 seconds. */
    async get(ref: AccountRef): Promise<Catalogue> {
      return (await cached(ref)) ?? fetched(ref, 2_000);
    },

    /** Invalidates the cache after a refusal that contradicts it. */
    async invalidate(ref: AccountRef): Promise<void> {
      await jobs.expiringTexts.remove(ref.workspace, name(ref));
    },
  };
}

export type Catalogues = ReturnType<typeof createCatalogues>;

export function categoryOf(catalogue: Catalogue, id: string): Category | undefined {
  return catalogue.flatMap(({ categories }) => categories).find((category) => category.id === id);
}

/** Returns the categories whose own or parent's title contains the text. */
export function search(catalogue: Catalogue, text: string): Catalogue {
  const sought = titleKey(text);
  const fits = (title: string) => titleKey(title).includes(sought);
  return catalogue
    .map(({ title, categories }) => ({
      title,
      categories: fits(title) ? categories : categories.filter((category) => fits(category.title)),
    }))
    .filter(({ categories }) => categories.length > 0);
}
