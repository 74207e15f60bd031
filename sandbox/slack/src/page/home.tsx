import { type ReactNode, useEffect } from 'react';
import type { View } from '../model.ts';
import { act } from './api.ts';
import { Blocks } from './blocks.tsx';
import { ScrollArea } from './scroll-area.tsx';
import { SurfaceProvider, useSurfaceState } from './surface.tsx';
import { useViewer } from './viewer.ts';

/** Renders the app's home, and sends `app_home_opened` when it is opened. */
export function Home({ view }: { view: View | undefined }): ReactNode {
  const { as, app } = useViewer();
  useEffect(() => {
    void act('home', { user: as });
  }, [as]);
  return (
    <ScrollArea label="Home tab">
      <section aria-label={`${app.name} home`} className="home">
        {view ? <HomeBlocks key={view.id} view={view} /> : <p className="empty quiet">Nothing here yet.</p>}
      </section>
    </ScrollArea>
  );
}

function HomeBlocks({ view }: { view: View }): ReactNode {
  const memory = useSurfaceState({ view_id: view.id }, view.blocks, view.state.values);
  return (
    <SurfaceProvider surface={memory.surface}>
      <Blocks blocks={view.blocks} />
      {memory.problem && (
        <p role="alert" className="problem">
          {memory.problem}
        </p>
      )}
    </SurfaceProvider>
  );
}
