import type { Browser, Locator, Page } from 'playwright-core';
import { patienceMs } from './chromium.ts';

export { axeProblems } from './axe.ts';
export { blockSamples } from './block-samples.ts';
export * from './chromium.ts';
export { type Expected, expectedOf, squeezed, withoutSpaces } from './payload-reading.ts';

/** The text to find: a part of it, or a pattern. */
type Wanted = string | RegExp;

/** A file as a person would pick it. */
type PickedFile = { name: string; mimeType: string; buffer: Buffer };

/**
 * Opens the workspace's page as one person. The returned functions are named after what that person does and sees; every
 * query waits until its target is there.
 *
 * @param url the sandbox workspace's address
 * @param options the person (user id), the place (channel id, or `home`), the window's size in pixels, whether it is a
 *   phone with a touch screen, the system's theme, and whether to show the tour as on a first visit
 */
export async function openWorkspace(
  browser: Browser,
  url: string,
  options: {
    as?: string;
    channel?: string;
    width?: number;
    height?: number;
    touch?: boolean;
    theme?: 'light' | 'dark';
    tour?: boolean;
  } = {},
) {
  const viewport = { width: options.width ?? 1280, height: options.height ?? 800 };
  const context = await browser.newContext({
    viewport,
    hasTouch: options.touch ?? false,
    isMobile: options.touch ?? false,
    colorScheme: options.theme ?? 'light',
  });
  // Everybody else has seen it before.
  if (options.tour !== true)
    await context.addInitScript(() => window.localStorage.setItem('sandbox.tour', 'seen'));
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const address = new URL(url);
  if (options.as) address.searchParams.set('as', options.as);
  if (options.channel) address.searchParams.set('channel', options.channel);
  await page.goto(address.href);
  await page.getByRole('main').waitFor();

  const main = page.getByRole('main');
  const thread = page.getByRole('complementary', { name: 'Thread' });
  return {
    page,
    /** The errors in the page's own scripts. */
    errors,
    /** Writes into the channel and presses Enter: a message, or a command when it begins with `/`. */
    types: (text: string) => write(main.getByRole('textbox', { name: /^Message / }), text),
    /** Returns the newest message in the channel that shows this. */
    card: (text: Wanted) => cardPage(page, newest(main.getByRole('article'), text)),
    /** Returns the newest message that only this person sees and that shows this. */
    ephemeral: (text: Wanted) => cardPage(page, newest(main.locator('article.ephemeral'), text)),
    /** Returns how many messages of the channel show this now. */
    count: (text: Wanted) => main.getByRole('article').filter({ hasText: text }).count(),
    /** Returns the open modal (or confirmation) with this title. */
    modal: (title: Wanted) => modalPage(page, title),
    /** Switches to another person, by name. */
    actAs: async (name: string) => {
      await page.getByRole('combobox', { name: 'You are' }).selectOption({ label: name });
    },
    /** Goes to a channel (`#review`), a direct message or the app's home, by its name in the sidebar. */
    goTo: async (name: string) => {
      await sidebarEntry(page, name).click();
    },
    /** Returns whether the sidebar marks this channel as unread. */
    isUnread: (name: string) => sidebarEntry(page, name).getByText('unread').isVisible(),
    /** Returns the app's home, as a surface with buttons. */
    home: () => {
      const region = main.getByRole('region', { name: / home$/ });
      return cardPage(page, region, region);
    },
    /** Runs a global shortcut from the composer's menu. */
    runs: async (shortcut: string) => {
      await main.getByRole('button', { name: 'Shortcuts' }).click();
      await page.getByRole('menuitem', { name: shortcut }).click();
    },
    /** The thread that is open beside the channel. */
    thread: {
      card: (text: Wanted) => cardPage(page, newest(thread.getByRole('article'), text)),
      types: (text: string) => write(thread.getByRole('textbox', { name: 'Reply' }), text),
      close: () => thread.getByRole('button', { name: 'Close thread' }).click(),
    },
    /** Takes a picture of the page. */
    shot: (path: string) => page.screenshot({ path }),
    close: () => context.close(),
  };
}

function sidebarEntry(page: Page, name: string): Locator {
  const text = name.replace(/^# ?/, '# ');
  return page
    .getByRole('navigation', { name: 'Workspace' })
    .getByRole('button', { name: new RegExp(`^${escapePattern(text)}(?: ?, \\d+ unread)?$`) });
}

async function write(box: Locator, text: string): Promise<void> {
  await box.fill(text);
  await box.press('Enter');
}

function newest(items: Locator, text: Wanted): Locator {
  return items.filter({ hasText: text }).last();
}

/** A message, ephemeral or home; `body` is its content, without the page's own additions. */
function cardPage(page: Page, card: Locator, body: Locator = card.locator('.message-main')) {
  return {
    locator: card,
    ...fields(page, card),
    /** Returns its current text, as shown. */
    text: () => shown(body),
    /** Waits until it shows this. */
    shows: (text: Wanted) => card.filter({ hasText: text }).waitFor(),
    /** Waits until it is no longer there. */
    gone: () => card.waitFor({ state: 'detached' }),
    /** Waits until a button is gone from it. */
    loses: (button: string) =>
      card
        .getByRole('button', { name: new RegExp(`^${escapePattern(button)}`) })
        .waitFor({ state: 'detached' }),
    /** Returns the names of its buttons, without the page's own. */
    buttons: () => card.locator('.blocks button').allInnerTexts(),
    /** Points at it, so that its toolbar shows. */
    pointAt: () => pointAt(card),
    /** Chooses from the message's own "…" menu: a message shortcut, or Reply in thread. */
    does: async (entry: string) => {
      await pointAt(card);
      await buttonNamed(card, 'Message actions').click();
      await page.getByRole('menuitem', { name: entry }).click();
    },
    /** Returns the same message independent of its later text, such as a card that folds. */
    pinned: async () => {
      const ts = await card.getAttribute('data-ts');
      return cardPage(page, page.locator(`article[data-ts="${ts}"]`));
    },
    /** Opens its thread by the number of replies. */
    opensThread: () => card.getByRole('button', { name: /^\d+ repl(y|ies)$/ }).click(),
  };
}

/** Scrolls a message to where nothing lies over it, such as the tour, and points at it. */
async function pointAt(message: Locator): Promise<void> {
  await message.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await message.hover();
}

/** A modal or confirmation. */
function modalPage(page: Page, title: Wanted) {
  const dialog = page.getByRole('dialog', { name: title, exact: typeof title === 'string' });
  return {
    locator: dialog,
    ...fields(page, dialog),
    /** Waits until it is there. Returns its text. */
    text: () => shown(dialog),
    /** Waits until it shows this. */
    shows: (text: Wanted) => dialog.filter({ hasText: text }).waitFor(),
    /** Waits until it is closed. */
    gone: () => dialog.waitFor({ state: 'hidden' }),
    /** Presses its submit button with this name. */
    submit: (name: string) => buttonNamed(dialog.locator('.dialog-foot'), name).click(),
    /** Closes it with the cross. */
    close: () => buttonNamed(dialog, 'Close').first().click(),
    /** Returns a field's error message, by the field's label. */
    error: async (label: string) => {
      const field = control(dialog, label);
      const id = await field.getAttribute('aria-describedby');
      return id ? shown(page.locator(`[id="${id}"]`)) : undefined;
    },
  };
}

/** The controls of a message or modal. Labels are accessible names. */
function fields(page: Page, root: Locator) {
  return {
    click: (button: string) => buttonNamed(root, button).click(),
    /** Types into a text, number, date or time field. */
    fill: (label: string, text: string) => control(root, label).fill(text),
    /** Returns the value that a text field or select shows. */
    value: (label: string) => control(root, label).inputValue(),
    /** Chooses from a select of any kind, after typing `typed`, by default the option's own text. */
    choose: async (label: string, option: string, typed: string = option) => {
      const box = root.getByRole('combobox', { name: label, exact: true });
      await box.click();
      await box.fill(typed);
      await page.getByRole('listbox', { name: label }).getByRole('option', { name: option }).first().click();
      if ((await box.getAttribute('aria-expanded')) === 'true') await box.press('Escape');
    },
    /** Ticks a check box or radio button of a group. */
    check: (label: string, option: string) =>
      root.getByRole('group', { name: label, exact: true }).getByLabel(option).check(),
    uncheck: (label: string, option: string) =>
      root.getByRole('group', { name: label, exact: true }).getByLabel(option).uncheck(),
    /** Chooses from an overflow menu. */
    choosesFromMenu: async (entry: string, menu = 'More options') => {
      await buttonNamed(root, menu).click();
      await page.getByRole('menuitem', { name: entry }).click();
    },
    /** Picks files for a file field and waits until they are uploaded. */
    attach: async (label: string, ...files: PickedFile[]) => {
      await control(root, label).setInputFiles(files);
      for (const file of files) await buttonNamed(root, `Remove ${file.name}`).waitFor();
    },
  };
}

/** Returns the text as a person sees it, with line breaks, without hidden text. Waits for lazy charts and rich text. */
async function shown(locator: Locator): Promise<string> {
  await locator.first().waitFor({ state: 'attached' });
  await locator.locator('.library-wait').first().waitFor({ state: 'detached' });
  // biome-ignore lint/performance/useDomNodeTextContent: what is shown is the point
  return locator.innerText();
}

function control(root: Locator, label: string): Locator {
  return root.getByLabel(label, { exact: true });
}

function buttonNamed(root: Locator, name: string): Locator {
  return root.getByRole('button', { name, exact: true });
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
