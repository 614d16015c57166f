<?php
// What does the slip at this address say? BASE_URL=… API_KEY=… php url.php SUBMISSION URL

declare(strict_types=1);

require __DIR__ . '/sliptrail.php';

[, $submission, $url] = $argv;

$slip = slipTrail('POST', '/v2/verify/bank', ['url' => $url], $submission);
echo $slip['amountInSlip'], ' ', $slip['rawSlip']['transRef'], "\n";
