import { z } from 'zod';
import { titleKey } from '../../domain/campaign.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { createCodec } from '../../store/format.ts';

export const Category = z.object({
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

/** Creates the lookup of an account's categories, cached because somebody types while they are searched. */
export function createCatalogue({ jobs, marketplace }: Modules) {
  return async (ref: AccountRef, deadlineMs: number): Promise<Catalogue> => {
    const name = `categories ${ref.account}`;
    const cached = catalogueCodec.decode((await jobs.expiringTexts.get(ref.workspace, name)) ?? '');
    if (cached.ok) return cached.value;
    const parents = await (await marketplace.of(ref)).listCategories({ deadlineMs });
    const catalogue = parents.map(({ title, categories }) => ({
      title,
      categories: categories.map(({ id, title, minPaymentPerTask }) => ({
        id,
        title,
        minimums: minPaymentPerTask.map(({ zone, paymentPerTask }) => ({
          zone,
          payment: paymentPerTask.toFixed(),
        })),
      })),
    }));
    if (catalogue.length > 0)
      await jobs.expiringTexts.put(ref.workspace, name, catalogueCodec.encode(catalogue), cacheSeconds);
    return catalogue;
  };
}

/** Returns the categories whose own or parent's title contains the text. */
export function search(catalogue: Catalogue, text: string): Catalogue {
  const sought = titleKey(text);
  const fits = (title: string) => titleKey(title).includes(sought);
  return catalogue.map(({ title, categories }) => ({
    title,
    categories: fits(title) ? categories : categories.filter((category) => fits(category.title)),
  }));
}
