/** What a preview on the gallery's page shows. */
export interface Shown {
  readonly text: string;
  readonly buttons: string[];
  readonly fields: string[];
  readonly ticked: boolean[];
  /** The words of pictures, and of signs that stand for a word. */
  readonly pictures: string[];
  /** What each field for files takes. */
  readonly uploads: string[];
  /** What shows when it is opened, by what was opened: `options 3`, `menus 0`, `confirmations 1`. */
  readonly opened: Record<string, string[]>;
}

/** What to open of each preview, by the entry's name: numbers of its fields, menus and buttons. */
export type ToOpen = Record<string, { options: number[]; menus: number[]; confirmations: number[] }>;

/** Runs in the page: reads every preview, and opens lists, menus and confirmations. */
export async function readDrawn(toOpen: ToOpen): Promise<Record<string, Shown>> {
  const all = <Kind extends Element>(root: ParentNode, selector: string) => [
    ...root.querySelectorAll<Kind>(selector),
  ];
  // biome-ignore lint/performance/useDomNodeTextContent: what is shown is the point
  const textOf = (element: HTMLElement) => element.innerText;
  const until = async (selector: string, isThere: boolean): Promise<HTMLElement> => {
    for (;;) {
      const found = document.querySelector<HTMLElement>(selector);
      if (isThere === (found !== null)) return found ?? document.body;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  };
  const pressEscape = (from: Element) =>
    from.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
  const firstTexts = (list: Element, selector: string) =>
    all(list, selector).map((item) => item.firstChild?.textContent ?? '');

  const found: Record<string, Shown> = {};
  for (const entry of all(document, '.entry')) {
    const name = entry.getAttribute('aria-label') ?? '';
    const root = entry.querySelector<HTMLElement>('.frame');
    if (root === null) continue;
    const fields = all<HTMLInputElement>(
      root,
      ':is(input:not([type=checkbox], [type=radio], [type=file]), textarea)',
    );
    const buttons = all<HTMLElement>(root, '.blocks button.button:not(.overflow)');
    const overflows = all<HTMLElement>(root, 'button.overflow');
    const shown: Shown = {
      text: textOf(root),
      buttons: buttons.map(textOf),
      fields: fields.map(({ value, placeholder }) => value || placeholder),
      ticked: all<HTMLInputElement>(root, 'input:is([type=checkbox], [type=radio])').map(
        ({ checked }) => checked,
      ),
      pictures: all<HTMLImageElement | SVGElement>(
        root,
        'img, svg[role=img]:not(#slack_blocks_to_jsx svg)',
      ).map((one) => ('alt' in one ? one.alt : (one.getAttribute('aria-label') ?? ''))),
      uploads: all<HTMLInputElement>(root, 'input[type=file]').map(
        ({ accept, multiple }) => `${multiple ? 'several' : 'one'} of ${accept || 'any'}`,
      ),
      opened: {},
    };
    for (const number of toOpen[name]?.options ?? []) {
      fields[number]?.click();
      shown.opened[`options ${number}`] = firstTexts(await until('[role=listbox]', true), '[role=option]');
      if (fields[number]) pressEscape(fields[number]);
      await until('[role=listbox]', false);
    }
    for (const number of toOpen[name]?.menus ?? []) {
      overflows[number]?.click();
      const menu = await until('[role=menu]', true);
      shown.opened[`menus ${number}`] = firstTexts(menu, '[role=menuitem]');
      pressEscape(menu);
      await until('[role=menu]', false);
    }
    for (const number of toOpen[name]?.confirmations ?? []) {
      buttons[number]?.click();
      const dialog = await until('.overlay dialog', true);
      shown.opened[`confirmations ${number}`] = [textOf(dialog)];
      dialog.querySelector<HTMLElement>('.dialog-foot button')?.click();
      await until('.overlay', false);
    }
    found[name] = shown;
  }
  return found;
}
