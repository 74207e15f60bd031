import type { KnownBlock } from '@slack/types';
import { Component, type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import type { Message as LibraryMessage } from 'slack-blocks-to-jsx';
import { formatDate } from './text/date.ts';
import { useTheme } from './theme.ts';
import { useViewer, type Viewer } from './viewer.ts';

type MessageProps = ComponentProps<typeof LibraryMessage>;

/** Loads the library lazily, after the first render: it is half of all script, and few messages need it. */
export const loadLibrary = () => import('slack-blocks-to-jsx');

const Message = lazy(async () => ({ default: (await loadLibrary()).Message }));

/** The block types that slack-blocks-to-jsx renders for this page; it renders nothing for others. */
const libraryKinds = new Set<string>(['data_visualization', 'markdown', 'rich_text']);

/**
 * Renders a block with slack-blocks-to-jsx, with this workspace's names and the viewer's time zone. Renders the type of an
 * unknown block instead of omitting it.
 */
export function LibraryBlock({ block }: { block: KnownBlock }): ReactNode {
  return libraryKinds.has(block.type) ? <DrawnByLibrary block={block} /> : <NamedOnly type={block.type} />;
}

function NamedOnly({ type }: { type: string }): ReactNode {
  return <em className="quiet">(a block of type {type} that this page cannot draw)</em>;
}

function DrawnByLibrary({ block }: { block: KnownBlock }): ReactNode {
  const viewer = useViewer();
  const theme = useTheme();
  const blocks = [block] as unknown as MessageProps['blocks'];
  return (
    <ErrorBoundary fallback={<NamedOnly type={block.type} />}>
      <Suspense fallback={<p className="library-wait quiet">…</p>}>
        <Message blocks={blocks} {...fixed} theme={theme} data={names(viewer)} hooks={hooks(viewer)} />
      </Suspense>
    </ErrorBoundary>
  );
}

const fixed = { logo: '', name: '', withoutWrapper: true } as const;

function names(viewer: Viewer): NonNullable<MessageProps['data']> {
  return {
    users: viewer.users.map((user) => ({ id: user.id, name: user.real_name })),
    channels: viewer.channels.map(({ id, name }) => ({ id, name })),
  };
}

function hooks(viewer: Viewer): NonNullable<MessageProps['hooks']> {
  return {
    date: ({ timestamp, format }) => <time>{formatDate(format, Number(timestamp), viewer.zone)}</time>,
  };
}

/** Renders the fallback if a block throws, so that the rest of the page stays. */
class ErrorBoundary extends Component<{ fallback: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
