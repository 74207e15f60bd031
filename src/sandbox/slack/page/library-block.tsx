import type { KnownBlock } from '@slack/types';
import { Component, type ComponentProps, type ReactNode } from 'react';
import { Message } from 'slack-blocks-to-jsx';
import { formatDate } from './text/date.ts';
import { useTheme } from './theme.ts';
import { useViewer, type Viewer } from './viewer.ts';

type MessageProps = ComponentProps<typeof Message>;

/** Renders a block by slack-blocks-to-jsx, with this workspace's names and the viewer's time zone. */
export function LibraryBlock({ block }: { block: KnownBlock }): ReactNode {
  const viewer = useViewer();
  const theme = useTheme();
  const blocks = [block] as unknown as MessageProps['blocks'];
  return (
    <ErrorBoundary
      fallback={<em className="quiet">(a block of type {block.type} that this page cannot draw)</em>}
    >
      <Message blocks={blocks} {...fixed} theme={theme} data={names(viewer)} hooks={hooks(viewer)} />
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

/** Renders the fallback when a block throws, so that the rest of the page stays. */
class ErrorBoundary extends Component<{ fallback: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
