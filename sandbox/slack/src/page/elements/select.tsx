import type {
  ChannelsSelect,
  ConversationsSelect,
  ExternalSelect,
  MultiExternalSelect,
  MultiSelect,
  Select,
  StaticSelect,
} from '@slack/types';
import { type ReactNode, useEffect, useState } from 'react';
import type { Option } from '../../model.ts';
import { useSurface } from '../surface.tsx';
import { plainText } from '../text/text.tsx';
import { useViewer, type Viewer } from '../viewer.ts';
import { Combobox, type OptionGroup } from './combobox.tsx';
import type { Actable } from './state.ts';
import { type ElementHandle, type ElementProps, useElement } from './use-element.ts';

type AnySelect = Select | MultiSelect;

export function SelectElement(props: ElementProps<AnySelect>): ReactNode {
  const { element } = props;
  if (element.type === 'external_select' || element.type === 'multi_external_select') {
    return <ExternalSelectElement {...props} element={element} />;
  }
  return <LocalSelectElement {...props} element={element} />;
}

/** Renders a select with options that the page knows: the element's own, people, or conversations. */
function LocalSelectElement(
  props: ElementProps<Exclude<AnySelect, ExternalSelect | MultiExternalSelect>>,
): ReactNode {
  const viewer = useViewer();
  const handle = useElement(props);
  const [query, setQuery] = useState<string>();
  const all = localGroups(props.element, viewer);
  const byId = all.flatMap((group) => group.options);
  return (
    <Combobox
      {...common(props, handle, byId)}
      groups={narrow(all, query ?? '')}
      emptyNote="No matches."
      onQuery={setQuery}
    />
  );
}

/** Renders a select whose options come from the app, for the typed text. */
function ExternalSelectElement(props: ElementProps<ExternalSelect | MultiExternalSelect>): ReactNode {
  const { element, blockId } = props;
  const surface = useSurface();
  const handle = useElement(props);
  const [query, setQuery] = useState<string>();
  const [groups, setGroups] = useState<OptionGroup[]>();
  const [note, setNote] = useState('No matches.');
  const least = element.min_query_length ?? 3;
  const enough = query !== undefined && [...query].length >= least;

  // biome-ignore lint/correctness/useExhaustiveDependencies: reloads when the text changes, not on every message update
  useEffect(() => {
    if (!enough) return;
    let wanted = true;
    setGroups(undefined);
    const ask = async (): Promise<void> => {
      const result = await surface.options(blockId, element as unknown as Actable, query);
      if (!wanted) return;
      const lists = result.option_groups ?? (result.options ? [{ options: result.options }] : []);
      setGroups(
        lists.map((list) => ({
          label: 'label' in list ? list.label.text : undefined,
          options: list.options,
        })),
      );
      setNote(result.acked && result.ok ? 'No matches.' : 'Options could not be loaded.');
    };
    const timer = setTimeout(() => void ask(), typingPauseMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [enough, query]);

  return (
    <Combobox
      {...common(props, handle, [])}
      groups={enough ? groups : []}
      emptyNote={enough ? note : `Type at least ${least} ${least === 1 ? 'character' : 'characters'}.`}
      onQuery={setQuery}
    />
  );
}

/** Debounce in milliseconds before the app is asked for options. */
const typingPauseMs = 200;

function common(props: ElementProps<AnySelect>, handle: ElementHandle, known: Option[]) {
  const { element } = props;
  const multiple = element.type.startsWith('multi_');
  const held = (multiple ? handle.value : handle.value ? [handle.value] : []) as (Option | string)[];
  // People and conversations are stored by id, options as whole objects.
  const byId = !/static|external/.test(element.type);
  const selected = held.map((item) =>
    typeof item === 'string' ? (known.find(({ value }) => value === item) ?? option(item, item)) : item,
  );
  const change = (next: Option[]): void => {
    const values = byId ? next.map(({ value }) => value) : next;
    handle.choose(multiple ? values : (values[0] ?? null));
  };
  return {
    label: props.label,
    placeholder: plainText(element.placeholder?.text ?? (multiple ? 'Choose options' : 'Choose an option')),
    selected,
    multiple,
    max: 'max_selected_items' in element ? element.max_selected_items : undefined,
    clearable: props.optional ?? false,
    busy: handle.busy,
    errorId: props.errorId,
    onChange: change,
  };
}

function localGroups(element: AnySelect, viewer: Viewer): OptionGroup[] {
  switch (element.type) {
    case 'static_select':
    case 'multi_static_select': {
      const { options, option_groups } = element as StaticSelect;
      const groups = option_groups ?? [{ options: options ?? [] }];
      return groups.map((group) => ({
        label: 'label' in group ? group.label.text : undefined,
        options: group.options.map((entry) => ({ ...entry, value: entry.value ?? '' }) as Option),
      }));
    }
    case 'users_select':
    case 'multi_users_select':
      return [{ options: viewer.users.map((user) => option(user.id, user.real_name)) }];
    default:
      return [{ options: conversations(element as ConversationsSelect | ChannelsSelect, viewer) }];
  }
}

/** Returns the options: public channels for a channels_select, otherwise conversations that match the filter. */
function conversations(element: ConversationsSelect | ChannelsSelect, viewer: Viewer): Option[] {
  const included = 'filter' in element ? element.filter?.include : undefined;
  const kinds: readonly string[] = element.type.includes('channels')
    ? ['public']
    : (included ?? ['public', 'private', 'im']);
  return viewer.channels
    .filter((channel) => !channel.is_archived && (!channel.is_im || channel.user === viewer.as))
    .filter((channel) => kinds.includes(channel.is_im ? 'im' : channel.is_private ? 'private' : 'public'))
    .map((channel) => option(channel.id, channel.is_im ? viewer.app.name : `#${channel.name}`));
}

function narrow(groups: OptionGroup[], query: string): OptionGroup[] {
  const wanted = query.trim().toLowerCase();
  return groups
    .map((group) => ({
      ...group,
      options: group.options.filter((entry) => entry.text.text.toLowerCase().includes(wanted)),
    }))
    .filter((group) => group.options.length > 0);
}

function option(value: string, text: string): Option {
  return { text: { type: 'plain_text', text }, value };
}
