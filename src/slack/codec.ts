import type { z } from 'zod';
import { UserError } from '../errors.ts';

/**
 * Creates the codec of the data in buttons and forms. Decoding throws a UserError when the text does not match the schema,
 * such as that of a button whose meaning has changed.
 * @param advice what to do then, as a sentence
 */
export function codec<Schema extends z.ZodType>(thing: 'button' | 'form', schema: Schema, advice: string) {
  return {
    encode: (value: z.infer<Schema>): string => JSON.stringify(value),
    decode(text: string): z.infer<Schema> {
      const parsed = schema.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      throw new UserError(`This ${thing} is out of date. ${advice}`);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
