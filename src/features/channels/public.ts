export { lostText } from './channels.view.ts';
export { openCardsLimit, retireFormer, sharedIncident } from './routing.ts';
