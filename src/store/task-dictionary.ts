/**
 * The compression dictionary of tasks' stored texts, which compresses them to about a third. The likeliest text comes last.
 * It must never change, not even by a letter: texts stored with it would become unreadable.
 */
export const taskDictionary = Buffer.from(
  [
    '"filesWarning":"","slotNumbers":[1,2,3],{"index":1,"filename":"screenshot.png","contentType":"image/jpeg","size":',
    '"bytesHash":"","print":""},"mayHaveLostDecision":true,"isRatingInferred":true,"askedElsewhere":true,"likely":true',
    '"unlinked":[{"channel":"C0","ts":"17"}],"linked":true},"detailsRemovedAt":17,"unprovenFavorite":"add","restored":"whole"',
    '"earlierAttemptUnknown":true,"rejectedAttempt":1,"problem":{"text":"","waitsFor":"campaign"},"state":"held"',
    '"look":{"why":"share","until":17,"first":{"id":"","by":"U0","verdict":"NOK"},"second":{},"how":"agreed","third":{}}',
    '"undoneBy":{"by":"U0","of":"U0","verdict":"OK","at":17},"undone":["],"notes":["],"assignment":{"to":{"group":"S0"},',
    '"to":{"member":"U0"},"by":"U0","at":17},"before":{"slots":[""],"comment":"","by":"U0","card":{"channel":"C0","ts":"17"}},',
    '"card":{"state":"backlog"},"card":{"state":"gone"},"card":{"state":"wanted","channel":"C0","attempt":{"channel":"C0",',
    '"at":17,"slackAt":17,"round":1,"deletedTs":"17"},"former":[{"channel":"C0","ts":"17"}]},"round":2,"rating":"REVISE","NOTREVIEWED"',
    '"decision":{"id":"","by":"U0","verdict":"REVISE","NOK","OK","comment":"Please ","ownKey":true,"bonus":"0.10","favorite":"add",',
    '"reason":"","at":17,"state":"overtaken","refused","sending","waiting","applied","attempts":1,"dueAt":17}',
    '"here":{"OK":1,"NOK":0,"REVISE":0}},"pictures":[{"index":1,"file":"F0","files":[{"index":1,',
    '{"v":2,"id":"","campaign":"","round":1,"rating":"OK","rating":"NOK","rating":"NOTRATED","comment":"","ratedAt":0,',
    '"worker":{"id":"","name":"","country":"","ip":"","userAgentHash":""},"csvRow":"","submittedAt":17,',
    '"proof":{"slots":["https://www."," the "," and "],"files":[],"finishedAt":17},"detailed":true,',
    '"workerRecord":{"counts":{"NOTREVIEWED":0,"NOTRATED":1,"OK":1,"NOK":0,"REVISE":0},"campaigns":1},"pictures":[],',
    '"hasEvidence":true,"card":{"state":"posted","channel":"C0","ts":"17"},"revision":2}',
  ].join(''),
);
