export { openCardsLimit, retireFormer, sharedIncident } from './routing.ts';
