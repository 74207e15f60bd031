import { z } from 'zod';
import type { AccountRef } from '../../domain/terms.ts';
import { createCodec } from '../../store/codec.ts';
import type { CreateDeps } from './deps.ts';

const Category = z.object({
  id: z.string(),
  title: z.string(),
  /** The least payment per task in each zone, as decimal text. */
  minimums: z.array(z.object({ zone: z.string(), payment: z.string() })),
});
export type Category = z.infer<typeof Category>;

const Catalogue = z.array(z.object({ title: z.string(), categories: z.array(Category) }));
/** The categories under their parents ("Category catalogue" of the API). */
export type Catalogue = z.infer<typeof Catalogue>;

const catalogueCodec = createCodec('categories', Catalogue);

/** Long enough for one form; a minimum may change. */
const keptSeconds = 1_800;
const name = ({ account }: AccountRef) => `categories ${account}`;

/** The categories of an account: each change of the form needs them at once. */
export function createCatalogues({
  expiringTexts,
  marketplaceOf,
}: Pick<CreateDeps, 'expiringTexts' | 'marketplaceOf'>) {
  async function lately(ref: AccountRef): Promise<Catalogue | undefined> {
    const text = await expiringTexts.get(ref.workspace, name(ref));
    const decoded = catalogueCodec.decode(text ?? '');
    return decoded.ok ? decoded.value : undefined;
  }

  async function ask(ref: AccountRef, deadlineMs: number): Promise<Catalogue> {
    const parents = await (await marketplaceOf(ref)).listCategories({ deadlineMs });
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
      await expiringTexts.put(ref.workspace, name(ref), catalogueCodec.encode(catalogue), keptSeconds);
    }
    return catalogue;
  }

  return {
    /** Those asked for lately; undefined: they must be asked for. */
    lately,

    ask,

    /** Those asked for lately, otherwise asked for now: somebody waits for an answer within 3 seconds. */
    async at(ref: AccountRef): Promise<Catalogue> {
      return (await lately(ref)) ?? ask(ref, 2_000);
    },

    /** Asks anew next time: a minimum was not what was kept. */
    async forget(ref: AccountRef): Promise<void> {
      await expiringTexts.remove(ref.workspace, name(ref));
    },
  };
}

export function categoryOf(catalogue: Catalogue, id: string): Category | undefined {
  return catalogue.flatMap(({ categories }) => categories).find((category) => category.id === id);
}

/** The categories whose title, or whose parent's, contains the text. */
export function searched(catalogue: Catalogue, text: string): Catalogue {
  const sought = text.trim().toLowerCase();
  const fits = (title: string) => title.toLowerCase().includes(sought);
  return catalogue
    .map(({ title, categories }) => ({
      title,
      categories: fits(title) ? categories : categories.filter((category) => fits(category.title)),
    }))
    .filter(({ categories }) => categories.length > 0);
}
