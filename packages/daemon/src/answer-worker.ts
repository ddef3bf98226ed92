import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { answerQuestions } from '@svc-gateway/backends/sim/answer-worker';

// The thread of an AnswerThread runs this module.
answerQuestions(parentPort as MessagePort, workerData);
