;;; Reads pairs of a form and a recipe for what it means, and answers (:OK form), or (:BAD "what was read" "what was
;;; meant"). After (CODE), (EVAL x) and (UPCASE code) the answer is (:PRINTED value).
(setf *read-eval* nil)
(setf *print-pretty* nil)

(defun text (codes) (map 'string #'code-char codes))

(defun build (recipe)
  (destructuring-bind (kind . arguments) recipe
    (ecase kind
      (s (text arguments))
      (k (intern (text arguments) :keyword))
      (y (intern (text arguments)))
      (p (pathname (text arguments)))
      (c (code-char (first arguments)))
      (i (parse-integer (text arguments)))
      (r (/ (first arguments) (second arguments)))
      (f (destructuring-bind (digits scale precision) arguments
           (let ((exact (* digits (expt 10 scale))))
             (ecase precision
               (single (coerce exact 'single-float))
               (double (coerce exact 'double-float))))))
      (l (mapcar #'build arguments))
      (d (apply #'list* (mapcar #'build arguments)))
      (v (map 'vector #'build arguments)))))

(defun same (a b)
  (cond ((and (consp a) (consp b))
         (and (same (car a) (car b)) (same (cdr a) (cdr b))))
        ((and (stringp a) (stringp b)) (string= a b))
        ((and (simple-vector-p a) (simple-vector-p b))
         (and (= (length a) (length b)) (every #'same a b)))
        ((and (pathnamep a) (pathnamep b)) (equal a b))
        (t (eql a b))))

(defun answer (form recipe)
  (case (first recipe)
    (eval (list :printed (eval (second recipe))))
    (code (list :printed (char-code form)))
    (upcase (list :printed (string (char-upcase (code-char (second recipe))))))
    (t (let ((meant (build recipe)))
         (if (same form meant)
             (list :ok form)
             (list :bad (prin1-to-string form) (prin1-to-string meant)))))))

(with-open-file (cases (sb-ext:posix-getenv "PEER_CASES") :external-format :utf-8)
  (with-open-file (answers (sb-ext:posix-getenv "PEER_ANSWERS") :direction :output :external-format :utf-8)
    (loop for form = (read cases nil cases)
          until (eq form cases)
          do (prin1 (answer form (read cases)) answers)
             (terpri answers))))
