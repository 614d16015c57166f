/** Where everything stands that is done for one slip that is enqueued, verified and called back. */
export const jobPaths = (() => {
  const request = "POST /v2/verify/bank/async"
  const enqueued = `${request} > Enqueue > append job`
  const verifying = `${enqueued} > process verification`
  const verified = `${verifying} > SlipVerifier.attempt > VerifySlip > append slip`
  const ended = `${verifying} > Succeed > append job`
  const calling = `${ended} > process callback-delivery`
  const sent = `${calling} > SendCallback > append callback`
  const told = `${calling} > RecordOutcome > append callback`
  return [
    request,
    enqueued,
    // A projector that is behind has more events in one batch, whose span stands under the first of them: this one.
    `${enqueued} > project jobs`,
    `${enqueued} > project trail-index`,
    verifying,
    `${verifying} > SlipVerifier.attempt > sandbox verify`,
    verified,
    ended,
    calling,
    sent,
    `${calling} > POST`,
    told
  ]
})()
