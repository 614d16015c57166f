<?php
// Enqueues a slip and waits for the end of its job. BASE_URL=… API_KEY=… php later.php SUBMISSION PAYLOAD

declare(strict_types=1);

require __DIR__ . '/sliptrail.php';

[, $submission, $payload] = $argv;

['jobId' => $jobId] = slipTrail('POST', '/v2/verify/bank/async', ['payload' => $payload], $submission);
while (($job = slipTrail('GET', "/v2/verify/bank/jobs/$jobId"))['status'] === 'pending') {
    sleep(1);
}
echo $job['status'], ' ', $job['status'] === 'success' ? $job['data']['amountInSlip'] : $job['error']['code'], "\n";
