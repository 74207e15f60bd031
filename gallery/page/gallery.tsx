import { HomePreview, MessagePreview, ModalPreview } from '@proofdesk/slack-sandbox/renderer';
import { memo, type ReactNode, useDeferredValue, useEffect } from 'react';
import type { DrawnEntry } from '../drawn.ts';
import { EntryJson } from './json.tsx';
import { idOf, useSettings, type Width } from './settings.ts';
import { Toolbar } from './toolbar.tsx';

/** Renders all entries by feature, in the chosen widths and theme. */
export function Gallery({ entries }: { entries: readonly DrawnEntry[] }): ReactNode {
  const [settings, change] = useSettings();
  const query = useDeferredValue(settings.query);
  const found = entries.filter((entry) => isFound(entry, query));
  const features = [...new Set(found.map(({ feature }) => feature))];
  const widths: readonly Width[] = settings.width === 'both' ? ['desktop', 'phone'] : [settings.width];
  const all = features.map((feature) => ({
    feature,
    shown: found.filter((entry) => entry.feature === feature),
  }));

  useEffect(() => {
    const root = document.documentElement;
    if (settings.theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = settings.theme;
  }, [settings.theme]);

  return (
    <>
      <Toolbar settings={settings} count={`${found.length} of ${entries.length}`} onChange={change} />
      <div className="columns">
        <nav className="contents" aria-label="Features">
          {all.map(({ feature, shown }) => (
            <a key={feature} href={`#${idOf(feature)}`}>
              {feature} <span className="quiet">{shown.length}</span>
            </a>
          ))}
        </nav>
        <main>
          {all.map(({ feature, shown }) => (
            <section key={feature} id={idOf(feature)} aria-label={feature}>
              <h2>{feature}</h2>
              {shown.map((entry) => (
                <Entry key={entry.title} entry={entry} widths={widths} />
              ))}
            </section>
          ))}
          {found.length === 0 && <p className="quiet">Nothing matches. Search for fewer words.</p>}
        </main>
      </div>
    </>
  );
}

/** Returns whether every word occurs in the feature, the title or the JSON. */
function isFound(entry: DrawnEntry, query: string): boolean {
  const text = JSON.stringify(entry).toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const Entry = memo(function Entry(props: { entry: DrawnEntry; widths: readonly Width[] }): ReactNode {
  const { entry, widths } = props;
  const { feature, title, kind, drawn } = entry;
  return (
    <article className="entry" id={idOf(feature, title)} aria-label={`${feature}: ${title}`}>
      <h3>
        {title} <span className="kind">{kind}</span>
      </h3>
      <div className="frames">
        {widths.map((width) => (
          <div key={width} className={`frame ${width}`} data-kind={kind}>
            <Preview entry={entry} />
          </div>
        ))}
      </div>
      {'text' in drawn && (
        <p className="notification">
          <span className="quiet">Notification:</span> {drawn.text}
        </p>
      )}
      <EntryJson drawn={drawn} />
    </article>
  );
});

const writtenAt = (Date.now() / 1000).toFixed(6);

function Preview({ entry: { drawn } }: { entry: DrawnEntry }): ReactNode {
  if (!('type' in drawn)) return <MessagePreview message={drawn} ts={writtenAt} />;
  return drawn.type === 'modal' ? <ModalPreview view={drawn} /> : <HomePreview view={drawn} />;
}
