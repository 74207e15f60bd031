import { Fragment, type ReactNode, useMemo } from 'react';
import { addressHere } from '../use-address.ts';
import { useViewer } from '../viewer.ts';
import { formatDate } from './date.ts';
import { emojiNamed } from './emoji.ts';
import { type Inline, type Paragraph, parseMrkdwn, unescapeText } from './mrkdwn.ts';

/** Renders a text object of either kind, never as HTML. */
export function TextObject({
  text,
}: {
  text: { type: string; text: string; emoji?: boolean | undefined; verbatim?: boolean | undefined };
}): ReactNode {
  return text.type === 'mrkdwn' ? (
    <Mrkdwn source={text.text} verbatim={text.verbatim} />
  ) : (
    plainText(text.text, text.emoji)
  );
}

/**
 * Returns a plain text as Slack shows it: its three escapes undone (Slack stores all text escaped), and `:name:`
 * replaced by the emoji unless `emoji` is false.
 */
export function plainText(text: string, emoji?: boolean): string {
  const drawn =
    emoji === false
      ? text
      : text.replace(/:([a-z0-9_+'-]+):/g, (whole, name: string) => emojiNamed(name) ?? whole);
  return unescapeText(drawn);
}

export function Mrkdwn({ source, verbatim }: { source: string; verbatim?: boolean | undefined }): ReactNode {
  const paragraphs = useMemo(() => parseMrkdwn(source, verbatim), [source, verbatim]);
  return paragraphs.map((paragraph, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parsed anew from the text, the parts have no identity
    <ParagraphText key={index} paragraph={paragraph} />
  ));
}

function ParagraphText({ paragraph }: { paragraph: Paragraph }): ReactNode {
  if (paragraph.type === 'preformatted') return <pre>{paragraph.text}</pre>;
  const children = <Inlines nodes={paragraph.children} />;
  return paragraph.type === 'quote' ? <blockquote>{children}</blockquote> : <div>{children}</div>;
}

function Inlines({ nodes }: { nodes: Inline[] }): ReactNode {
  return nodes.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parsed anew from the text, the parts have no identity
    <Fragment key={index}>
      <InlineText node={node} />
    </Fragment>
  ));
}

function InlineText({ node }: { node: Inline }): ReactNode {
  const viewer = useViewer();
  switch (node.type) {
    case 'text':
      return node.text;
    case 'break':
      return <br />;
    case 'emoji':
      return emojiNamed(node.name) ?? `:${node.name}:`;
    case 'code':
      return <code>{node.text}</code>;
    case 'bold':
      return (
        <strong>
          <Inlines nodes={node.children} />
        </strong>
      );
    case 'italic':
      return (
        <em>
          <Inlines nodes={node.children} />
        </em>
      );
    case 'strike':
      return (
        <s>
          <Inlines nodes={node.children} />
        </s>
      );
    case 'link':
      return <Link url={node.url}>{node.text}</Link>;
    case 'user':
      return (
        <span className={node.id === viewer.as ? 'mention me' : 'mention'}>@{viewer.userName(node.id)}</span>
      );
    case 'channel':
      return <span className="mention">#{node.label ?? viewer.channelName(node.id)}</span>;
    case 'group':
      return <span className="mention">{node.label ?? viewer.groupName(node.id)}</span>;
    case 'broadcast':
      return <span className="mention me">@{node.range}</span>;
    case 'date': {
      const text = formatDate(node.format, node.seconds, viewer.zone);
      return node.link ? <Link url={node.link}>{text}</Link> : <time title={node.fallback}>{text}</time>;
    }
  }
}

/** Renders a link to a web page, an e-mail address or a phone number; for other URLs only the text. */
export function Link({ url, children }: { url: string; children: string }): ReactNode {
  // Other schemes, above all `javascript:`, are shown as text.
  if (!/^(https?:\/\/|mailto:|tel:)/i.test(url)) return children;
  const here = addressHere(url);
  if (here) return <a href={here}>{children}</a>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
