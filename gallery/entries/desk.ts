import { linkMessage } from '../../src/features/desk/desk.view.ts';
import { entriesOf } from '../entry.ts';

export const desk = [
  ...entriesOf('Desk', linkMessage, {
    'The link to the desk': () => linkMessage('https://proofdesk.example/desk#T0SAMPLE.U01ANN.secret'),
  }),
];
