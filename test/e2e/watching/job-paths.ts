/** The paths of all spans for one slip that is enqueued, verified and reported by a callback. */
export const jobPaths = (() => {
  const request = "POST /v2/verify/bank/async"
  const enqueued = `${request} > Enqueue > append job`
  const verifying = `${enqueued} > process verification`
  const verified = `${verifying} > SlipVerifier.attempt > VerifySlip > append slip`
  const ended = `${verifying} > Succeed > append job`
  const calling = `${ended} > process callback-delivery`
  const sent = `${calling} > SendCallback > append callback`
  const recorded = `${calling} > RecordOutcome > append callback`
  return [
    request,
    enqueued,
    // A batch of several events has its span under the first of them, which is this one.
    `${enqueued} > project jobs`,
    `${enqueued} > project trail-index`,
    verifying,
    `${verifying} > SlipVerifier.attempt > sandbox verify`,
    verified,
    ended,
    calling,
    sent,
    `${calling} > POST`,
    recorded
  ]
})()
