/**
 * React components that render Block Kit as the sandbox's page does, so that other tools can preview an app's messages
 * and views. They need no server. Their styles are in `renderer.css`.
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
