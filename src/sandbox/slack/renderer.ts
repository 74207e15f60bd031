/**
 * Draws Block Kit as the sandbox's page does, for tools of other projects: previews of what an app sends, as React
 * components. Needs no server. Its styles are in `renderer.css`.
 */
export {
  HomePreview,
  MessagePreview,
  ModalPreview,
  PreviewProvider,
  type PreviewWorkspace,
  type SentMessage,
  type SentView,
} from './page/preview.tsx';
