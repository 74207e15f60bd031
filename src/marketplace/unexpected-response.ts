/** An answer that does not match the API's description: retrying would change nothing. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';
}
