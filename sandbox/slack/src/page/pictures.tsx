import type { ImageBlock, ImageElement } from '@slack/types';
import { type ReactNode, useState } from 'react';
import { OpenablePicture } from './picture-viewer.tsx';
import { plainText } from './text/text.tsx';
import { useViewer } from './viewer.ts';

/** Renders an image element: in a section, in a context block, or as a card's icon. */
export function Thumbnail({ image }: { image: ImageElement }): ReactNode {
  return <img className="thumbnail" src={useImageSource(image)} alt={image.alt_text} />;
}

/** Renders an image block, which opens in the viewer. */
export function Picture({ block }: { block: ImageBlock | ImageElement }): ReactNode {
  const source = useImageSource(block);
  const [broken, setBroken] = useState(false);
  const title = 'title' in block ? block.title : undefined;
  return (
    <figure className="picture">
      {title && <figcaption>{plainText(title.text, title.emoji)}</figcaption>}
      {broken ? (
        <p className="quiet">(image cannot be shown: {block.alt_text})</p>
      ) : (
        <OpenablePicture
          picture={{ url: source, alt: block.alt_text, title: plainText(title?.text ?? '') }}
          onError={() => setBroken(true)}
        />
      )}
    </figure>
  );
}

/** Returns the address of an image: its own URL, or that of the uploaded file that its id or URL names. */
function useImageSource(image: ImageElement | ImageBlock): string | undefined {
  const viewer = useViewer();
  if ('image_url' in image) return image.image_url;
  const { slack_file: wanted } = image;
  return ('id' in wanted ? viewer.file(wanted.id) : viewer.fileAt(wanted.url))?.sandbox_url;
}
