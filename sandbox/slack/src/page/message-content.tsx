import { type ReactNode, useRef } from 'react';
import type { Attachment, Block } from '../model.ts';
import { Blocks } from './blocks.tsx';
import { SurfaceProvider, useSurfaceState } from './surface.tsx';
import { Mrkdwn } from './text/text.tsx';

/** The fields that messages and ephemerals share. */
type Carrier = { channel: string; ts: string; text: string; blocks: Block[]; attachments: Attachment[] };

/** Renders text or blocks, then attachments, then the last click's error. */
export function Content({ content, edited }: { content: Carrier; edited: boolean }): ReactNode {
  const { channel, ts, text, attachments } = content;
  const blocks = useAllBlocks(content);
  const memory = useSurfaceState({ channel, ts }, blocks);
  const mark = edited && <span className="edited quiet small"> (edited)</span>;
  return (
    <SurfaceProvider surface={memory.surface}>
      {content.blocks.length > 0 ? (
        <Blocks blocks={content.blocks} mark={mark} />
      ) : (
        (text !== '' || edited) && (
          <div className={edited ? 'text has-edited' : 'text'}>
            <Mrkdwn source={text} />
            {mark}
          </div>
        )
      )}
      {attachments.map((attachment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attachments have no id of their own
        <div key={index} className="attachment" style={{ borderColor: cssColor(attachment.color) }}>
          {attachment.blocks ? (
            <Blocks blocks={attachment.blocks} />
          ) : (
            <div className="text">
              <Mrkdwn source={attachment.text ?? attachment.fallback ?? ''} />
            </div>
          )}
        </div>
      ))}
      {memory.problem && (
        <p role="alert" className="problem">
          {memory.problem}
        </p>
      )}
    </SurfaceProvider>
  );
}

/** Returns the blocks of a message and its attachments as one memoized list. */
function useAllBlocks({ blocks, attachments }: Carrier): Block[] {
  const previous = useRef<{ from: [Block[], Attachment[]]; all: Block[] }>(undefined);
  if (previous.current?.from[0] !== blocks || previous.current.from[1] !== attachments) {
    previous.current = {
      from: [blocks, attachments],
      all: [...blocks, ...attachments.flatMap((attachment) => attachment.blocks ?? [])],
    };
  }
  return previous.current.all;
}

function cssColor(color: string | undefined): string | undefined {
  if (color === 'good' || color === 'warning' || color === 'danger') return `var(--${color})`;
  return color && /^#?[0-9a-f]{6}$/i.test(color) ? `#${color.replace('#', '')}` : undefined;
}
