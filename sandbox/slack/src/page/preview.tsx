import { type ReactNode, useMemo, useState } from 'react';
import type { Block, StateValues } from '../model.ts';
import { Avatar } from './avatar.tsx';
import { Blocks } from './blocks.tsx';
import { ConfirmProvider, useConfirm } from './confirm.tsx';
import { DialogHead } from './dialog.tsx';
import { initialState } from './elements/state.ts';
import { MessageHead } from './message.tsx';
import { ModalFoot } from './modal.tsx';
import { type Surface, SurfaceProvider } from './surface.tsx';
import { Mrkdwn, plainText } from './text/text.tsx';
import { useViewer, type Viewer, ViewerProvider } from './viewer.ts';

/** Block Kit as an app sends it. */
type SentBlocks = readonly { readonly type: string }[];

/** A message as an app sends it. */
export interface SentMessage {
  readonly text: string;
  readonly blocks: SentBlocks;
}
export interface SentView {
  readonly blocks: SentBlocks;
  readonly title?: { readonly text: string };
  readonly submit?: { readonly text: string };
  readonly close?: { readonly text: string };
}

/** The names and pictures for previews. Unknown ids are shown as they are. */
export interface PreviewWorkspace {
  /** The app's name. */
  readonly app: string;
  /** The name of each user and each channel, by id. */
  readonly users: Readonly<Record<string, string>>;
  readonly channels: Readonly<Record<string, string>>;
  /** The address of each uploaded picture, by file id. */
  readonly pictures: Readonly<Record<string, string>>;
  /** The reader's user id and time zone (IANA). */
  readonly reader: string;
  readonly zone: string;
}

/** Provides the workspace for all previews below it. */
export function PreviewProvider(props: { workspace: PreviewWorkspace; children: ReactNode }): ReactNode {
  const viewer = useMemo(() => viewerOf(props.workspace), [props.workspace]);
  return (
    <ViewerProvider value={viewer}>
      <ConfirmProvider>{props.children}</ConfirmProvider>
    </ViewerProvider>
  );
}

function viewerOf({ app, users, channels, pictures, reader, zone }: PreviewWorkspace): Viewer {
  const file = (id: string) => {
    const address = pictures[id];
    return address === undefined ? undefined : { sandbox_url: address };
  };
  return {
    as: reader,
    zone,
    app: { name: app, bot_user_id: '', commands: [], shortcuts: [] },
    users: Object.entries(users).map(([id, name]) => ({ id, real_name: name })),
    channels: Object.entries(channels).map(([id, name]) => ({ id, name, ...publicChannel })),
    userName: (id) => users[id] ?? id,
    channelName: (id) => channels[id] ?? id,
    groupName: (id) => `@${id}`,
    file,
    fileAt: () => undefined,
  };
}

const publicChannel = { is_im: false, is_private: false, is_archived: false } as const;

/**
 * Renders a message as the page does, without a server: input stays in the preview, and clicks are ignored.
 * @param props.ts when it was written, as a Slack timestamp
 */
export function MessagePreview({ message, ts }: { message: SentMessage; ts: string }): ReactNode {
  const author = useViewer().app.name;
  return (
    <article className="message" aria-label={`Message from ${author}`}>
      <Avatar name={author} bot />
      <div className="message-main">
        <MessageHead author={author} bot ts={ts} />
        {message.blocks.length > 0 ? (
          <PreviewBlocks blocks={message.blocks} />
        ) : (
          <div className="text">
            <Mrkdwn source={message.text} />
          </div>
        )}
      </div>
    </article>
  );
}

/** Renders a modal as the page does, but inline instead of over the page. */
export function ModalPreview({ view }: { view: SentView }): ReactNode {
  const title = plainText(view.title?.text ?? '');
  return (
    <div role="dialog" aria-label={title} className="dialog">
      <DialogHead title={title} onClose={ignore} />
      <div className="dialog-body">
        <PreviewBlocks blocks={view.blocks} />
      </div>
      <ModalFoot view={view} submitting={false} onClose={ignore} />
    </div>
  );
}

/** Renders an app's home as the page does. */
export function HomePreview({ view }: { view: SentView }): ReactNode {
  return <PreviewBlocks blocks={view.blocks} />;
}

function ignore(): void {}

function PreviewBlocks({ blocks }: { blocks: SentBlocks }): ReactNode {
  const identified = useMemo(
    () => blocks.map((block, index): Block => ({ block_id: `preview.${index}`, ...block })),
    [blocks],
  );
  return (
    <SurfaceProvider surface={usePreviewSurface()}>
      <Blocks blocks={identified} />
    </SurfaceProvider>
  );
}

/** Returns a surface that stores choices and asks for confirmations, without an app behind it. */
function usePreviewSurface(): Surface {
  const confirm = useConfirm();
  const [chosen, setChosen] = useState<StateValues>({});
  return {
    busy: undefined,
    stateOf: (blockId, element) => chosen[blockId]?.[element.action_id ?? ''] ?? initialState(element),
    change: (blockId, element, state) =>
      setChosen((all) => ({ ...all, [blockId]: { ...all[blockId], [element.action_id ?? '']: state } })),
    dispatch: async (_blockId, element) => !element.confirm || (await confirm(element.confirm)),
    options: async () => ({ ok: true, acked: true, ms: 0, options: [] }),
  };
}
