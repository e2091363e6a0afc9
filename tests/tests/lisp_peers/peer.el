;;; -*- lexical-binding: t -*-
;;; Reads pairs of a form and a recipe for what it means, and answers (:OK form), or (:BAD "what was read" "what was
;;; meant"). After (EVAL x) the answer is (:PRINTED value).

(defun build (recipe)
  (let ((arguments (cdr recipe)))
    (pcase (car recipe)
      ('S (apply #'string arguments))
      ('K (intern (concat ":" (apply #'string arguments))))
      ('Y (intern (apply #'string arguments)))
      ('I (string-to-number (apply #'string arguments)))
      ('F (string-to-number (format "%de%d" (nth 0 arguments) (nth 1 arguments))))
      ('L (mapcar #'build arguments))
      ('D (apply #'cl-list* (mapcar #'build arguments)))
      (other (error "No recipe for %S" other)))))

(defun answer (form recipe)
  (if (eq (car recipe) 'EVAL)
      (list :PRINTED (eval (cadr recipe) t))
    (let ((meant (build recipe)))
      (if (equal form meant)
          (list :OK form)
        (list :BAD (prin1-to-string form) (prin1-to-string meant))))))

(require 'cl-lib)
(let ((coding-system-for-read 'utf-8-unix)
      (coding-system-for-write 'utf-8-unix)
      answers)
  (with-temp-buffer
    (insert-file-contents (getenv "PEER_CASES"))
    (goto-char (point-min))
    (while (progn (skip-chars-forward " \n") (not (eobp)))
      (let* ((form (read (current-buffer)))
             (recipe (read (current-buffer))))
        (push (prin1-to-string (answer form recipe)) answers))))
  (with-temp-file (getenv "PEER_ANSWERS")
    (dolist (answer (nreverse answers))
      (insert answer "\n"))))
