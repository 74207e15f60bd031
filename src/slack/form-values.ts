/** The inputs of a modal by name (block id), as Slack reports them. */
export type Values = Readonly<Record<string, Readonly<Record<string, ElementState>>>>;

export interface ElementState {
  readonly value?: string | null;
  readonly selected_option?: { readonly value?: string } | null;
  readonly selected_options?: readonly { readonly value?: string }[];
  readonly selected_user?: string | null;
  readonly selected_users?: readonly string[];
  readonly selected_conversation?: string | null;
  readonly selected_date?: string | null;
  readonly selected_time?: string | null;
  readonly files?: readonly AttachedFile[];
}

/** A file in a file input, as Slack reports it. */
export interface AttachedFile {
  readonly id: string;
  readonly name?: string;
  /** Bytes. */
  readonly size?: number;
  readonly mimetype?: string;
  readonly url_private_download?: string;
  readonly is_external?: boolean;
}

/** Returns the text typed into an input, trimmed; '' when there is none. */
export function typed(values: Values, name: string): string {
  return stateOf(values, name)?.value?.trim() ?? '';
}

/** Returns the value chosen in a select or radio group, or undefined. */
export function chosen(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_option?.value ?? undefined;
}

/** Returns the day (YYYY-MM-DD) picked in a date picker, or undefined. */
export function pickedDay(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_date ?? undefined;
}

/** Returns the time of day (HH:mm) picked in a time picker, or undefined. */
export function pickedTime(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_time ?? undefined;
}

/** Returns the member chosen in a select of people, or undefined. */
export function pickedMember(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_user ?? undefined;
}

/** Returns the values chosen in a multi-select or checkboxes. */
export function chosenMany(values: Values, name: string): string[] {
  return (stateOf(values, name)?.selected_options ?? []).flatMap(({ value }) => (value ? [value] : []));
}

/** Returns the members chosen in a select of several. */
export function chosenUsers(values: Values, name: string): readonly string[] {
  return stateOf(values, name)?.selected_users ?? [];
}

/** Returns the channel chosen in a select of conversations, or undefined. */
export function chosenChannel(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_conversation ?? undefined;
}

/** Returns the files attached in a file input. */
export function attached(values: Values, name: string): readonly AttachedFile[] {
  return stateOf(values, name)?.files ?? [];
}

function stateOf(values: Values, name: string): ElementState | undefined {
  return Object.values(values[name] ?? {})[0];
}
